#include "leeway/sweep/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_set>

#include "leeway/core/message.h"
#include "leeway/sweep/run.h"

namespace leeway::sweep {
namespace {

// Units with a claim of a runner that lives, or may live.
std::unordered_set<std::string> running_units(const Store& store) {
  std::unordered_set<std::string> running;
  Liveness liveness(store, default_lease);
  for (const std::string& claim : store.claimed()) {
    const std::size_t dot = claim.find('.');
    const std::string unit = claim.substr(0, dot);
    const auto number = static_cast<std::size_t>(
        std::strtoull(claim.c_str() + std::min(dot, claim.size() - 1) + 1, nullptr, 10));
    if (liveness.sign(holder_of(store, unit, number)) != Sign::gone) running.insert(unit);
  }
  return running;
}

// Without numbers and without the names of units.
std::string common_part(const std::string& message) {
  constexpr std::string_view hexadecimal = "0123456789abcdef", folder = "units/";
  std::string text;
  for (std::size_t at = 0; at < message.size(); ++at) {
    std::size_t end = std::min(message.find_first_not_of(hexadecimal, at), message.size());
    if (text.ends_with(folder) && end == at + 2 && message.compare(end, 1, "/") == 0)
      end = std::min(message.find_first_not_of(hexadecimal, end + 1), message.size());
    else if (end < at + 32)
      end = std::min(message.find_first_not_of("0123456789", at), message.size());
    if (end == at) {
      text += message[at];
      continue;
    }
    if (!text.ends_with('#')) text += '#';
    at = end - 1;
  }
  return text;
}

std::vector<std::string> axes_of(const PlanFile& plan, const PlannedUnit& unit) {
  std::vector<std::string> axes;
  const std::vector<std::string> values = plan.axis_values(unit);
  for (std::size_t axis = 0; axis < values.size(); ++axis)
    if (!values[axis].empty()) axes.push_back(fmt::format("{}={}", plan.axes[axis], values[axis]));
  return axes;
}

std::vector<record::SweepFailure> grouped(const PlanFile& plan, const std::vector<const PlannedUnit*>& failed,
                                          const Store& store) {
  std::map<std::string, record::SweepFailure> groups;
  for (const PlannedUnit* unit : failed) {
    const std::string message = store.failure(unit->name).message;
    record::SweepFailure& group = groups[common_part(message)];
    const std::vector<std::string> axes = axes_of(plan, *unit);
    if (group.units++ == 0) {
      group.message = message, group.log = display_name(store.failed(unit->name) / "log.txt");
      group.axes = axes;
    } else {
      std::erase_if(group.axes,
                    [&](const auto& axis) { return std::ranges::find(axes, axis) == axes.end(); });
    }
  }
  std::vector<record::SweepFailure> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  std::ranges::stable_sort(all, std::ranges::greater(), &record::SweepFailure::units);
  return all;
}

void add(record::SweepCounts& sum, const record::SweepCounts& part) {
  using Counts = record::SweepCounts;
  for (const auto member : {&Counts::units, &Counts::done, &Counts::failed, &Counts::blocked,
                            &Counts::running, &Counts::ready, &Counts::waiting})
    sum.*member += part.*member;
}

}  // namespace

std::vector<record::SweepFailure> failures_of(const PlanFile& plan, const Store& store) {
  const auto names = store.listed(Outcome::failed), done = store.listed(Outcome::done);
  std::vector<const PlannedUnit*> failed;
  for (const PlannedUnit& unit : plan.units)
    if (names.contains(unit.name) && !done.contains(unit.name)) failed.push_back(&unit);
  return grouped(plan, failed, store);
}

record::SweepStatus status_of(const PlanFile& plan, const Store& store) {
  const auto done = store.listed(Outcome::done), failed = store.listed(Outcome::failed),
             running = running_units(store);
  record::SweepStatus status;
  status.folder = display_name(store.folder());
  for (const PlannedStage& stage : plan.stages) status.results.push_back({stage.name, stage.command, {}});
  enum class State { finished, hopeless, open };
  std::vector<State> states;
  for (const PlannedUnit& unit : plan.units) {
    record::SweepCounts& counts = status.results[unit.stage].counts;
    const auto needs = [&](State state) {
      return std::ranges::any_of(unit.needs, [&](std::size_t other) { return states[other] == state; });
    };
    ++counts.units;
    State state = State::open;
    if (done.contains(unit.name))
      state = State::finished, ++counts.done;
    else if (failed.contains(unit.name))
      state = State::hopeless, ++counts.failed;
    else if (needs(State::hopeless))
      state = State::hopeless, ++counts.blocked;
    else if (running.contains(unit.name))
      ++counts.running;
    else
      ++(needs(State::open) ? counts.waiting : counts.ready);
    states.push_back(state);
  }
  for (const record::SweepStageStatus& stage : status.results) add(status.counts, stage.counts);
  if (status.counts.failed > 0) status.failures = failures_of(plan, store);
  return status;
}

record::SweepPlan plan_record(const Plan& plan, const Store& store) {
  record::SweepPlan record;
  record.folder = display_name(store.folder());
  record.axes = plan.axes;
  record.units = plan.units.size(), record.combinations = plan.combinations, record.left_out = plan.left_out;
  record.threads = plan.threads, record.jobs = jobs_that_fit(plan.threads, plan.memory);
  for (const PlannedStage& stage : plan.stages) record.results.push_back({stage.name, stage.command, 0, 0});
  const auto done = store.listed(Outcome::done);
  for (const Unit& unit : plan.units) {
    record::SweepPlanStage& stage = record.results[unit.stage];
    const bool kept = done.contains(unit.name);
    ++stage.units, stage.kept += kept, record.kept += kept;
  }
  record.others = done.size() - record.kept;
  return record;
}

}  // namespace leeway::sweep
