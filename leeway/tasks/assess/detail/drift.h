// Drift between a source and a target, without labels: predicted classes, confidence, groups that both have.
//
// Tests (core/two_samples.h): homogeneity of counts of predicted classes and of every group column;
// Kolmogorov-Smirnov on confidences and on columns of numbers, whose moved values are bins (io/groups.h);
// MMD on features (agreement/feature_drift.h), whose distance is 2 A - 1, A the probability that a row of the
// target has the larger witness of two held-out rows, the mean of two halves, as is its interval. One
// result's tests are a family with Holm-adjusted p-values: without a shift, any is at most alpha with
// probability at most alpha; the smallest is the family's. Values whose share moved: those whose interval at
// 1 - alpha / (values of the column) excludes 0 (Newcombe), and those
// that one side lacks. Each distance has its own interval at the level.
//
// Assumes independent rows; the tests but that of features, which knows `paired`, are conservative for
// pairs. A test shows that something moved, not that the error did: docs/studies/drift.md has the rate of
// false alarms.
// Errors (Error): features that are not finite, or of another number of columns than the source's.
// Deterministic; row order changes only rounding. Cost: a sort of the confidences, a pass over each column.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/detail/predictions.h"

namespace leeway::assess {

inline constexpr std::size_t most_moved = 50;  // values listed of a column

// The numbers of the column `name` by row; none if the column has no bins.
[[nodiscard]] std::span<const double> numbers_of(const tasks::AssessNumbers& numbers,
                                                 const std::string& name);
// The numbers that are not NaN.
[[nodiscard]] std::vector<double> known_numbers(std::span<const double> numbers);

// `class_names` has k entries.
[[nodiscard]] tasks::AssessDrift drift_between(const Source& source, const Predictions& before,
                                               const Target& target, const Predictions& after,
                                               const std::vector<std::string>& class_names, const Task& task,
                                               bool paired = false);

}  // namespace leeway::assess
