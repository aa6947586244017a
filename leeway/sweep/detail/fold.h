// Means of items (a case and a setting, of an algorithm) by seed.
//
// Seeds count that all items have, so that every seed's mean is over the same items. Where no seed has all, the item with
// the fewest seeds is left out (the last of equal ones) until some seed has all that remain; items without any seed are left
// out in any case, and all of these are counted. The mean over seeds of the means over items has Student's interval over
// seeds; with one seed, that of its record where it is one run, else Student's over items (basis cases), unless these are of
// several algorithms. Values that are all alike do not say how they scatter, so they have no interval. Intervals are cut at the
// ends of the range.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/record/fields.h"
#include "leeway/record/sweep_report.h"

namespace leeway::sweep::detail {

struct Value {
  double y = 0;
  std::optional<double> low = {}, high = {};  // of its record
};

struct Item {
  std::vector<std::optional<Value>> by_seed;
  std::string missing = {};  // why a seed, or all, has none
};

// Indices of the items and seeds of which all combinations are there.
struct Complete {
  std::vector<std::size_t> items, seeds;
};
[[nodiscard]] Complete complete_of(const std::vector<Item>& items);

[[nodiscard]] record::SweepMean mean_of(const std::vector<Item>& items, record::Range range, double level);
// Of items of several algorithms.
[[nodiscard]] record::SweepMean mean_of_algorithms(const std::vector<Item>& items, record::Range range,
                                                   double level);

// By seed a minus b; a seed that one of them lacks has none.
[[nodiscard]] Item difference(const Item& a, const Item& b);

}  // namespace leeway::sweep::detail
