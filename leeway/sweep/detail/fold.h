// Means of items (a case and a setting, of an algorithm) by seed.
//
// Only seeds that all items have count, so that every seed's mean is over the same items. Items without seeds
// are left out; while no seed has all items, so is the item with the fewest seeds (the last of equals).
// Left-out items are counted. The mean over seeds of the means over items has Student's interval over seeds.
// With one seed: the record's interval for one run, else Student's over items (basis cases), unless of
// several algorithms. Equal values show no scatter: no interval. Intervals are cut to the range.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/describe/fields.h"
#include "leeway/tasks/sweep/report.h"

namespace leeway::sweep::detail {

struct Value {
  double y = 0;
  std::optional<double> low = {}, high = {};  // of its record
};

struct Item {
  std::vector<std::optional<Value>> by_seed;
  std::string missing = {};  // why a seed, or all, has none
};

enum class Of { one_algorithm, all_algorithms };
[[nodiscard]] tasks::SweepMean mean_of(const std::vector<Item>& items, Range range, double level,
                                       Of of = Of::one_algorithm);

// For each item and seed, the value of a minus that of b; no value if one of the two has none.
[[nodiscard]] std::vector<Item> differences(const std::vector<Item>& a, const std::vector<Item>& b);

// Ranks of algorithms over cases, settings and seeds, for leeway/sweep/report.h.

struct Ranked {
  std::size_t algorithm = 0;
  tasks::SweepRank rank;  // without names
};

// `table`: the same items (cases and settings) for every algorithm; `range`: of the measure. Best mean rank first;
// empty for fewer than two algorithms with common items.
[[nodiscard]] std::vector<Ranked> ranks_of(const std::vector<std::vector<Item>>& table,
                                           bool higher_is_better = true, double level = .95,
                                           Range range = {});

}  // namespace leeway::sweep::detail
