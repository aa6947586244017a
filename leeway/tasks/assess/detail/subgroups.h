// Where a model is weakest among groups and pairs of groups: an honest search.
//
// The lowest of many accuracies is low by chance too. So the rows are cut into two halves by a draw of their own: one finds
// the `listed` sub-groups whose accuracy has the lowest upper end (Wilson, at the level), the other measures them, with Clopper and
// Pearson's interval and the difference to its other rows (Newcombe), each at 1 - (1 - level) / listed found: all hold at once with
// probability `level`, however many sub-groups were searched. A sub-group is a value of a column, or of two columns together,
// with `least` rows or more in each half; which have them does not depend on who is right.
//
// Deterministic; the order of rows changes which half one falls into. Cost: a pass over the rows for each pair of columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/record/assess_quality.h"

namespace leeway::assess {

struct SubgroupOptions {
  std::size_t least = 20, listed = 5;
  double level = .95;
  std::uint64_t seed = 0;
};

// `correct` has one entry a row, as have the columns.
[[nodiscard]] record::AssessSubgroups weakest_subgroups(const std::vector<GroupColumn>& columns,
                                                        std::span<const std::uint8_t> correct,
                                                        const SubgroupOptions& options = {});

}  // namespace leeway::assess
