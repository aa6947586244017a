// The groups and pairs of groups where a model is weakest, with valid intervals.
//
// The lowest of many accuracies is low by chance, too. So a random half of the rows finds the `listed`
// sub-groups whose accuracy has the lowest upper end (Wilson, at the level); the other half measures them:
// Clopper-Pearson, and the difference to its other rows (Newcombe), each at 1 - (1 - level) / listed found.
// All hold at once with probability `level`, for any number searched. A sub-group is a value of a column, or
// of two columns, with at least `least` rows in each half, whichever rows are right.
// Deterministic; the order of rows changes a row's half. Cost: a pass over the rows for each pair of columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/io/outputs.h"
#include "leeway/tasks/assess/quality.h"

namespace leeway::assess {

struct SubgroupOptions {
  std::size_t least = 20, listed = 5;
  double level = .95;
  std::uint64_t seed = 0;
};

// `correct` has one entry a row, as have the columns.
[[nodiscard]] tasks::AssessSubgroups weakest_subgroups(const std::vector<GroupColumn>& columns,
                                                       std::span<const std::uint8_t> correct,
                                                       const SubgroupOptions& options = {});

}  // namespace leeway::assess
