#include "leeway/sweep/pilot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "leeway/core/csv.h"
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

constexpr std::size_t most_kinds = 32;  // a stage

// What the units of a stage differ in besides numbers: the words among its own options.
std::string kind_of(const PlanFile& plan, const PlannedUnit& unit) {
  const std::string own = plan.stages[unit.stage].name + ".";
  const std::vector<std::string> values = plan.axis_values(unit);
  std::string kind;
  for (std::size_t axis = 0; axis < values.size(); ++axis)
    if (plan.axes[axis].starts_with(own) && !parse_number(values[axis]))
      kind += fmt::format("{}={};", axis, values[axis]);
  return kind;
}

// Of a unit of that kind; of all kinds where that one was not tried. Nothing where none was.
std::optional<Taken> mean_of(const std::map<std::string, Taken>& taken, const std::string& kind) {
  Taken sum;
  const auto found = taken.find(kind);
  for (const auto& [name, one] : taken)
    if (found == taken.end() || name == kind)
      sum.seconds += one.seconds, sum.bytes += one.bytes, sum.units += one.units;
  if (sum.units == 0) return {};
  const auto units = static_cast<double>(sum.units);
  return Taken{sum.seconds / units, sum.bytes / units, 1};
}

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

bool run_pilot(const PlanFile& plan, const Store& store, record::SweepPlan& record, Progress* progress) {
  const std::vector<std::string> done = done_units(store);
  const auto is_done = [&](std::size_t unit) {
    return std::ranges::binary_search(done, plan.units[unit].name);
  };
  std::vector<std::string> kinds;                                             // of each unit
  std::vector<std::map<std::string, std::size_t>> tried(plan.stages.size());  // kind -> its first unit
  RunOptions options;
  options.jobs = 1;
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    kinds.push_back(kind_of(plan, plan.units[i]));
    std::map<std::string, std::size_t>& known = tried[plan.units[i].stage];
    if (!is_done(i) && known.size() < most_kinds && known.emplace(kinds[i], i).second)
      options.only.push_back(i);
  }
  if (options.only.empty()) return true;
  std::vector<std::map<std::string, Taken>> taken(plan.stages.size());
  std::vector<bool> ran(plan.units.size(), false);
  options.was_done = [&](std::size_t unit, double seconds) {
    Taken& kind = taken[plan.units[unit].stage][kinds[unit]];
    kind.seconds += seconds, kind.bytes += bytes_of(store.done(plan.units[unit].name)), ++kind.units;
    ran[unit] = true;
  };
  const RunSummary summary = run_units(plan, store, options, progress);
  if (summary.failed > 0)
    for (const record::SweepFailure& failure : failures_of(plan, store))
      record.envelope.warnings.push_back("the pilot failed: " + failure.message);
  std::vector<Taken> all(plan.stages.size()), left(plan.stages.size());  // sums over units
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    const std::size_t stage = plan.units[i].stage;
    const auto mean = mean_of(taken[stage], kinds[i]);
    if (ran[i]) ++record.results[stage].kept, ++record.kept;
    if (!mean) continue;
    for (Taken* const sum : {&all[stage], ran[i] || is_done(i) ? nullptr : &left[stage]})
      if (sum != nullptr) sum->seconds += mean->seconds, sum->bytes += mean->bytes, ++sum->units;
  }
  double seconds = 0, bytes = 0;
  bool whole = true;
  for (std::size_t s = 0; s < record.results.size(); ++s) {
    record::SweepPlanStage& stage = record.results[s];
    whole &= all[s].units > 0 || stage.kept == stage.units;
    if (all[s].units == 0) continue;
    const auto units = static_cast<double>(all[s].units);
    stage.seconds = all[s].seconds / units, stage.bytes = all[s].bytes / units;
    seconds += left[s].seconds, bytes += all[s].bytes;
  }
  if (whole) record.seconds = seconds / static_cast<double>(record.jobs), record.bytes = bytes;
  return summary.failed == 0;
}

}  // namespace leeway::sweep
