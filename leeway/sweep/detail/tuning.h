// Chooses hyper-parameters by a criterion, and the runs that have them.
//
// For each algorithm, start and checkpoint choice (with tune case: and each case and setting), the candidates
// are the combinations that were run. The best mean of the criterion over the grid wins, the earliest of
// equals. The grid: the seeds (with tune algorithm: cases, settings and seeds) for which the most
// combinations have a value. A candidate without a value somewhere in the grid is left out; if none has all,
// the grid is its first place. A single combination needs no criterion.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "leeway/sweep/detail/fold.h"
#include "leeway/sweep/detail/runs.h"
#include "leeway/tasks/sweep/report.h"

namespace leeway::sweep::detail {

struct Criterion {
  std::function<std::optional<double>(const Run&)> value;
  bool higher_is_better = true;
};

// Of a group of runs; for choices `shift` and `setting` count with tune case alone.
struct Group {
  std::size_t algorithm = 0, start = 0, select = 0, shift = 0, setting = 0;
  auto operator<=>(const Group&) const = default;
};

struct Chosen {
  std::size_t hyper = 0;
  std::optional<double> value, margin;  // the criterion's mean over the grid; how much worse the next one is
  std::size_t candidates = 0, left_out = 0;  // no candidate: nothing is chosen
  std::vector<std::size_t> seeds;            // of the grid
  [[nodiscard]] std::size_t combinations() const { return candidates + left_out; }
};

using ValueOf = std::function<std::optional<Value>(const Run&)>;
// The measure, with the interval of its record.
[[nodiscard]] inline std::optional<Value> value_of(const Run& run) {
  return run.y ? std::optional(Value{*run.y, run.low, run.high}) : std::nullopt;
}

class Tuning {
 public:
  Tuning(const Runs& runs, Criterion criterion, bool by_case);

  [[nodiscard]] const std::map<Group, Chosen>& chosen() const { return chosen_; }
  // Some group has several combinations; of all algorithms, or of one.
  [[nodiscard]] bool has_choice(std::optional<std::size_t> algorithm = {}) const;
  // The measure of the chosen combination by seed, or another value of its runs.
  [[nodiscard]] Item item(const Group& place, const ValueOf& value = value_of) const;
  // The cases and settings where the algorithm was to be run.
  [[nodiscard]] std::vector<Group> places(std::size_t algorithm, std::size_t start, std::size_t select) const;
  // Whether the algorithm was to be run there at all.
  [[nodiscard]] bool expected(const Group& place) const { return places_.contains(place); }

 private:
  [[nodiscard]] Group group_of(const Run& run) const;
  void choose(const Group& group, const std::vector<const Run*>& runs);

  const Runs& runs_;
  const Criterion criterion_;
  const bool by_case_;
  std::map<Group, Chosen> chosen_;
  std::map<Group, std::vector<const Run*>> places_;  // by all of Group's members
};

// For leeway/sweep/report.h: the measure of what each way of choosing would have got, and criteria and test accuracy by epoch.

// `tuning`: by validation. Empty where there is nothing to choose.
[[nodiscard]] std::vector<tasks::SweepWay> ways_of(const Runs& runs, const Tuning& tuning,
                                                   const tasks::SweepReportOptions& options);

// Means over cases and settings of the chosen runs, by epoch, as far as all runs go. Of more than 50 epochs
// 50 are kept, with the first and the last.
[[nodiscard]] std::vector<tasks::SweepCurve> curves_of(const Runs& runs, const Tuning& tuning, double level);

// Leaves of lists of the same items only the seeds that all lists have.
void keep_common(std::vector<std::vector<Item>>& lists);

}  // namespace leeway::sweep::detail
