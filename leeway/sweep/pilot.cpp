#include "leeway/sweep/pilot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "leeway/core/message.h"
#include "leeway/sweep/run.h"
#include "leeway/sweep/status.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

// On disk, in blocks as most file systems have them.
double bytes_of(const fs::path& folder) {
  constexpr double disk_block = 4096;
  double bytes = disk_block;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    bytes += entry.is_directory()
                 ? disk_block
                 : std::ceil(static_cast<double>(entry.file_size()) / disk_block) * disk_block;
  return bytes;
}

struct Taken {
  double seconds = 0, bytes = 0;
  std::size_t units = 0;
};

}  // namespace

record::SweepPlan plan_record(const Plan& plan, const Store& store) {
  record::SweepPlan record;
  record.folder = display_name(store.folder());
  record.axes = plan.axes;
  record.units = plan.units.size(), record.combinations = plan.combinations, record.left_out = plan.left_out;
  record.threads = plan.threads, record.jobs = jobs_that_fit(plan.threads, plan.memory);
  for (const PlannedStage& stage : plan.stages)
    record.results.push_back({stage.name, stage.command, 0, 0, {}, {}});
  const std::vector<std::string> done = done_units(store);
  for (const Unit& unit : plan.units) {
    record::SweepPlanStage& stage = record.results[unit.stage];
    const bool kept = std::ranges::binary_search(done, unit.name);
    ++stage.units, stage.kept += kept, record.kept += kept;
  }
  record.others = done.size() - record.kept;
  return record;
}

void run_pilot(const PlanFile& plan, const Store& store, record::SweepPlan& record, Progress* progress) {
  const std::vector<std::string> done = done_units(store);
  std::vector<bool> has_one(plan.stages.size(), false);
  RunOptions options;
  options.jobs = 1;
  for (std::size_t i = 0; i < plan.units.size(); ++i)
    if (!has_one[plan.units[i].stage] && !std::ranges::binary_search(done, plan.units[i].name)) {
      has_one[plan.units[i].stage] = true;
      options.only.push_back(i);
    }
  if (options.only.empty()) return;
  std::map<std::size_t, Taken> taken;
  options.was_done = [&](std::size_t unit, double seconds) {
    Taken& stage = taken[plan.units[unit].stage];
    stage.seconds += seconds, stage.bytes += bytes_of(store.done(plan.units[unit].name)), ++stage.units;
  };
  const RunSummary summary = run_units(plan, store, options, progress);
  if (summary.failed > 0)
    for (const record::SweepFailure& failure : failures_of(plan, store))
      record.envelope.warnings.push_back("the pilot failed: " + failure.message);
  double seconds = 0, bytes = 0;
  bool whole = true;
  for (std::size_t s = 0; s < record.results.size(); ++s) {
    record::SweepPlanStage& stage = record.results[s];
    const auto found = taken.find(s);
    whole &= found != taken.end() || stage.kept == stage.units;
    if (found == taken.end()) continue;
    const auto units = static_cast<double>(found->second.units);
    stage.seconds = found->second.seconds / units, stage.bytes = found->second.bytes / units;
    stage.kept += found->second.units, record.kept += found->second.units;
    seconds += *stage.seconds * static_cast<double>(stage.units - stage.kept);
    bytes += *stage.bytes * static_cast<double>(stage.units);
  }
  if (whole) record.seconds = seconds / static_cast<double>(record.jobs), record.bytes = bytes;
}

}  // namespace leeway::sweep
