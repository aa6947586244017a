// Ranks of algorithms over cases, settings and seeds, for leeway/sweep/report.h.
#pragma once

#include <cstddef>
#include <vector>

#include "leeway/record/fields.h"
#include "leeway/record/sweep_report.h"
#include "leeway/sweep/detail/fold.h"

namespace leeway::sweep::detail {

struct RankOptions {
  bool higher_is_better = true;
  double level = .95;
  record::Range range = {};  // of the measure
};

struct Ranked {
  std::size_t algorithm = 0;
  record::SweepRank rank;  // without names
};

// `table`: the same items (cases and settings) for every algorithm. Best mean rank first; empty for fewer
// than two algorithms with common items.
[[nodiscard]] std::vector<Ranked> ranks_of(const std::vector<std::vector<Item>>& table,
                                           const RankOptions& options);

}  // namespace leeway::sweep::detail
