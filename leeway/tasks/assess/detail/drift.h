// What moved between a source and a target as far as outputs show it, labels aside: the mix of predicted classes, confidence,
// and the groups that both name.
//
// Tests (core/two_samples.h): counts of predicted classes, and of every group column's values, for homogeneity; confidences by
// Kolmogorov and Smirnov. One result's tests are a family: p-values are adjusted by Holm's method, so that where nothing
// moved any of them is at most alpha with probability alpha at most; the least is the family's. Other results are other
// families. Values whose share moved are those whose interval, at 1 - alpha / (values of the column), leaves out 0 (Newcombe),
// and those that one of the two never has. Distances have their own intervals, each at the level.
//
// Rows are taken for independent draws. Those of pairs agree more than that, which makes the tests conservative. A test says
// that something moved, not that the error did: docs/studies/drift.md has the rate of false alarms.
//
// Deterministic; the order of rows changes nothing but rounding. Cost: a sort of the confidences, a pass over each column.
#pragma once

#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/assess/inputs.h"

namespace leeway::assess {

inline constexpr std::size_t most_moved = 50;  // values listed of a column

// `class_names` has k entries.
[[nodiscard]] record::AssessDrift drift_between(const Outputs& source, const Predictions& before,
                                                const Outputs& target, const Predictions& after,
                                                const std::vector<std::string>& class_names,
                                                const Task& task);

}  // namespace leeway::assess
