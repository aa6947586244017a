#include "leeway/tasks/assess/detail/drift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "leeway/agreement/feature_drift.h"
#include "leeway/core/bounded_mean.h"
#include "leeway/core/contingency.h"
#include "leeway/core/two_samples.h"
#include "leeway/tasks/assess/detail/auroc.h"
#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway::assess {
namespace {

using tasks::DriftTest;

// Counts of the same values on both sides.
struct DriftCounts {
  std::vector<std::string> names;
  std::vector<std::size_t> source, target;
};

// Values by their names: the two sides may know different ones.
DriftCounts joint_counts(const GroupColumn& source, const GroupColumn& target) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> by_name;
  const auto before = code_counts(source.codes, source.levels.size()),
             after = code_counts(target.codes, target.levels.size());
  for (std::size_t j = 0; j < before.size(); ++j) by_name[source.levels[j]].first += before[j];
  for (std::size_t j = 0; j < after.size(); ++j) by_name[target.levels[j]].second += after[j];
  DriftCounts counts;
  for (const auto& [name, both] : by_name) {
    counts.names.push_back(name);
    counts.source.push_back(both.first), counts.target.push_back(both.second);
  }
  return counts;
}

std::size_t present(const DriftCounts& counts) {
  std::size_t values = 0;
  for (std::size_t j = 0; j < counts.names.size(); ++j) values += counts.source[j] + counts.target[j] > 0;
  return values;
}

void add_moved(DriftTest& test, const DriftCounts& counts, std::size_t source_n, std::size_t n,
               double level) {
  const double each = 1 - (1 - level) / static_cast<double>(present(counts));
  for (std::size_t j = 0; j < counts.names.size(); ++j) {
    const std::size_t before = counts.source[j], after = counts.target[j];
    if (before + after == 0) continue;
    const Measured change = unpaired_difference(before, source_n, after, n, each);
    const bool appeared = before == 0, vanished = after == 0;
    if (!clear(change) && !appeared && !vanished) continue;
    const char* kind = appeared ? "new" : vanished ? "vanished" : *change.value > 0 ? "grown" : "shrunk";
    test.values.push_back({counts.names[j], kind, before, after, change});
  }
  std::ranges::stable_sort(test.values, [](const tasks::MovedValue& x, const tasks::MovedValue& y) {
    return std::abs(*x.change.value) > std::abs(*y.change.value);
  });
  test.moved = test.values.size();
  if (test.moved > most_moved) test.values.resize(most_moved);
}

DriftTest test_counts(std::string name, const DriftCounts& counts, std::size_t source_n, std::size_t n,
                      const Task& task) {
  const TwoSampleTest found =
      homogeneity(counts.source, counts.target, {.seed = task.seed, .stream = stream("drift " + name)});
  DriftTest test;
  test.name = std::move(name);
  test.test = found.exact ? "permutation" : present(counts) < 2 ? "none" : "chi-square";
  test.statistic = found.statistic, test.p_alone = found.p;
  test.distance = measured(total_variation(counts.source, counts.target, task.level));
  add_moved(test, counts, source_n, n, task.level);
  return test;
}

// The largest gap of two distribution functions is off by at most those of either (Dvoretzky, Kiefer, Wolfowitz and
// Massart), each at half of what the level leaves.
Measured gap_interval(double gap, std::size_t n, std::size_t m, double level) {
  const auto reach = [&](std::size_t size) {
    return std::sqrt(std::log(4 / (1 - level)) / (2 * static_cast<double>(size)));
  };
  const double off = reach(n) + reach(m);
  return {gap, std::max(0., gap - off), std::min(1., gap + off)};
}

void test_numbers(DriftTest& test, const std::vector<double>& before, const std::vector<double>& after,
                  double level) {
  const TwoSampleTest found = kolmogorov_smirnov(before, after);
  test.test = "Kolmogorov-Smirnov";
  test.statistic = found.statistic, test.p_alone = found.p;
  test.distance = gap_interval(found.statistic, before.size(), after.size(), level);
}

DriftTest test_confidences(const Predictions& before, const Predictions& after, double level) {
  DriftTest test;
  test.name = "confidence";
  test_numbers(test, before.confidences, after.confidences, level);
  test.mean_change = measured(mean_change(before.confidences, after.confidences, 0, 1, level));
  return test;
}

tasks::FeatureTest test_features(const Outputs& source, const Outputs& target, const Task& task,
                                 bool paired) {
  const agreement::FeatureSets sets(*source.features, source.path, *target.features, target.path, task.seed);
  const agreement::FeatureDrift found = sets.drift(paired);
  tasks::FeatureTest test;
  test.name = "features", test.test = paired ? "MMD sign flip" : "MMD permutation";
  test.statistic = found.test.statistic, test.p_alone = found.test.p;
  for (const auto& [row, score] : found.moved) test.rows.push_back({row, score});
  if (found.scores[1].target.empty()) return test;
  double value = -1, low = -1, high = -1;  // of 2 AUROC - 1, the mean of the halves
  for (const auto& [before, after] : found.scores) {
    std::vector<double> scores = before;
    scores.insert(scores.end(), after.begin(), after.end());
    std::vector<std::int64_t> is_target(scores.size());
    std::fill(is_target.begin() + static_cast<std::ptrdiff_t>(before.size()), is_target.end(), 1);
    std::optional<Auroc> half = auroc(scores, is_target);
    const double a = half->value;
    for (std::size_t i = 0; i < before.size(); ++i) half->placements[i] -= a;
    const std::array<Interval, 2> ranges{{{-a, 1 - a}, {0, 1}}};
    const Interval ends = stratified_mean_interval(half->placements, is_target, ranges, task.level);
    value += a, low += ends.low, high += ends.high;
  }
  test.distance = {std::clamp(value, 0., 1.), std::clamp(low, 0., 1.), std::clamp(high, 0., 1.)};
  return test;
}

void adjust(tasks::AssessDrift& drift) {
  std::vector<DriftTest*> tests{&drift.classes, &drift.confidence};
  if (drift.features) tests.push_back(&*drift.features);
  for (DriftTest& group : drift.groups) tests.push_back(&group);
  std::vector<double> alone;
  for (const DriftTest* test : tests) alone.push_back(test->p_alone);
  const std::vector<double> adjusted = holm(alone);
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i]->p_value = adjusted[i];
  drift.tests = tests.size();
  drift.p_value = *std::ranges::min_element(adjusted);
}

}  // namespace

std::span<const double> numbers_of(const tasks::AssessNumbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::span<const double>() : std::span<const double>(found->second);
}

std::vector<double> known_numbers(std::span<const double> numbers) {
  std::vector<double> known(numbers.begin(), numbers.end());
  std::erase_if(known, [](double number) { return std::isnan(number); });
  return known;
}

tasks::AssessDrift drift_between(const Source& source, const Predictions& before, const Target& target,
                                 const Predictions& after, const std::vector<std::string>& class_names,
                                 const Task& task, bool paired) {
  const std::vector<GroupColumn>&columns = source.outputs.groups, &others = target.outputs.groups;
  const std::size_t k = class_names.size(), source_n = source.outputs.n(), n = target.outputs.n();
  tasks::AssessDrift drift;
  const DriftCounts predicted{class_names, code_counts(before.classes, k), code_counts(after.classes, k)};
  drift.classes = test_counts("predicted class", predicted, source_n, n, task);
  drift.confidence = test_confidences(before, after, task.level);
  if (source.outputs.features && target.outputs.features)
    drift.features = test_features(source.outputs, target.outputs, task, paired);
  else if (source.outputs.features || target.outputs.features)
    drift.left_out.push_back("features");
  for (const GroupColumn& column : columns) {
    const auto same = std::ranges::find(others, column.name, &GroupColumn::name);
    if (same == others.end()) {
      drift.left_out.push_back(column.name);
      continue;
    }
    drift.groups.push_back(test_counts(column.name, joint_counts(column, *same), source_n, n, task));
    const auto a = known_numbers(numbers_of(source.numbers, column.name)),
               b = known_numbers(numbers_of(target.numbers, column.name));
    if (!a.empty() && !b.empty()) test_numbers(drift.groups.back(), a, b, task.level);
  }
  for (const GroupColumn& column : others)
    if (std::ranges::find(columns, column.name, &GroupColumn::name) == columns.end())
      drift.left_out.push_back(column.name);
  adjust(drift);
  std::ranges::stable_sort(drift.groups, {}, &DriftTest::p_alone);
  return drift;
}

}  // namespace leeway::assess
