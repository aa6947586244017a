#include "leeway/sweep/status.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <unordered_set>

#include "leeway/core/message.h"

namespace leeway::sweep {
namespace {

using Names = std::unordered_set<std::string>;

Names all_listed(const Store& store, Outcome outcome) {
  Names names;
  for (std::string& name : store.listed(outcome)) names.insert(std::move(name));
  return names;
}

// Units with a claim of a runner that lives.
Names running_units(const Store& store) {
  Names names;
  Liveness liveness(store, default_lease);
  std::map<std::string, bool> lives;
  for (const std::string& claim : store.claimed()) {
    const std::size_t dot = claim.find('.');
    const std::string unit = claim.substr(0, dot);
    const auto number = static_cast<std::size_t>(
        std::strtoull(claim.c_str() + std::min(dot, claim.size() - 1) + 1, nullptr, 10));
    const std::string holder = holder_of(store, unit, number);
    const auto [known, fresh] = lives.try_emplace(holder, false);
    if (fresh) known->second = liveness.sign(holder) != Sign::gone;
    if (known->second) names.insert(unit);
  }
  return names;
}

std::string without_numbers(const std::string& message) {
  std::string text;
  for (const char c : message) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit || text.empty() || text.back() != '#') text += digit ? '#' : c;
  }
  return text;
}

std::vector<record::SweepFailure> grouped(const std::vector<std::string>& failed, const Store& store) {
  std::map<std::string, record::SweepFailure> groups;
  for (const std::string& unit : failed) {
    const std::string message = store.failure(unit).message;
    record::SweepFailure& group = groups[without_numbers(message)];
    if (group.units++ == 0) group.message = message, group.log = display_name(store.failed(unit) / "log.txt");
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

std::vector<std::string> done_units(const Store& store) {
  const Names names = all_listed(store, Outcome::done);
  std::vector<std::string> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  return sorted;
}

std::vector<record::SweepFailure> failures_of(const PlanFile& plan, const Store& store) {
  const Names names = all_listed(store, Outcome::failed), done = all_listed(store, Outcome::done);
  std::vector<std::string> failed;
  for (const PlannedUnit& unit : plan.units)
    if (names.contains(unit.name) && !done.contains(unit.name)) failed.push_back(unit.name);
  return grouped(failed, store);
}

record::SweepStatus status_of(const PlanFile& plan, const Store& store) {
  const Names done = all_listed(store, Outcome::done), failed = all_listed(store, Outcome::failed),
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

}  // namespace leeway::sweep
