#include "leeway/tasks/calibration/calibration.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <span>

#include "leeway/core/message.h"
#include "leeway/core/statistics.h"
#include "leeway/error_bound/confidence.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t most_bins = 15;

struct Judged {
  double confidence = 0;
  bool right = false;

  auto operator<=>(const Judged&) const = default;
};

// The labelled rows, by confidence.
std::vector<Judged> judged_rows(const std::string& name, const OutputsShards& set) {
  if (!set.rest.labels) refuse(display_name(name), "labels", "none");
  const error_bound::CentredRows logits(set.logits);
  std::vector<Judged> rows;
  std::vector<double> scratch;
  for (std::size_t i = 0; i < logits.n(); ++i) {
    const std::int64_t label = (*set.rest.labels)[i];
    if (label == no_label) continue;
    const std::span z(logits.row(i, scratch), logits.k());
    double sum = 0;
    for (const double one : z) sum += std::exp(one);
    rows.push_back({1 / sum, std::ranges::max_element(z) - z.begin() == label});
  }
  if (rows.empty()) refuse(display_name(name), "a row with a label", "none");
  std::ranges::sort(rows);
  return rows;
}

// Where the bin `b` ends in `rows`.
std::size_t end_of(const std::vector<Judged>& rows, std::size_t b, bool equal_mass) {
  if (b + 1 == most_bins) return rows.size();
  const auto to = static_cast<double>(b + 1) / most_bins;
  if (!equal_mass)
    return static_cast<std::size_t>(std::ranges::lower_bound(rows, to, {}, &Judged::confidence) -
                                    rows.begin());
  const std::size_t end = (b + 1) * rows.size() / most_bins;
  if (end == 0) return 0;
  return static_cast<std::size_t>(
      std::ranges::upper_bound(rows, rows[end - 1].confidence, {}, &Judged::confidence) - rows.begin());
}

CalibrationBin bin_of(std::span<const Judged> rows) {
  CalibrationBin bin{rows.size(), rows.front().confidence, rows.back().confidence, 0, {}};
  for (const Judged& row : rows) bin.confidence += row.confidence / static_cast<double>(rows.size());
  const auto right = static_cast<std::size_t>(std::ranges::count(rows, true, &Judged::right));
  const Interval ends = clopper_pearson(right, rows.size());
  bin.accuracy = {static_cast<double>(right) / static_cast<double>(rows.size()), ends.low, ends.high};
  return bin;
}

CalibrationSet calibrated(const std::string& name, const OutputsShards& outputs, bool equal_mass) {
  const std::vector<Judged> rows = judged_rows(name, outputs);
  const CalibrationBin all = bin_of(rows);
  CalibrationSet set{name, all.n, 0, all.confidence, all.accuracy, {}};
  for (std::size_t b = 0, from = 0; b < most_bins; ++b) {
    const std::size_t to = end_of(rows, b, equal_mass);
    if (to <= from) continue;
    const CalibrationBin& bin = set.bins.emplace_back(bin_of(std::span(rows).subspan(from, to - from)));
    set.error += std::abs(bin.confidence - *bin.accuracy.value) * static_cast<double>(bin.n) /
                 static_cast<double>(rows.size());
    from = to;
  }
  return set;
}

}  // namespace

Calibration calibration(const CalibrationTask& task, Progress* progress) {
  if (task.sets.empty()) refuse("calibration", "at least one set of outputs", "none");
  const TaskClock clock;
  Calibration record;
  record.options = task.options;
  std::vector<std::string>& warnings = record.envelope.warnings;
  OutputsShards first = task.sets.front().open();
  number_first(first, {task.sets.begin() + 1, task.sets.end()}, warnings);
  for (const NamedOutputs& named : task.sets) {
    if (progress != nullptr && progress->stop_requested())
      throw Interrupted("calibration: stopped; nothing was written");
    const bool again = &named != task.sets.data();
    record.results.push_back(calibrated(named.name,
                                        again ? opened_like(first, named, warnings, false) : first,
                                        task.options.bins == "equal-mass"));
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
