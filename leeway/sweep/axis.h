// The values of an axis, listed or from a range, and the combinations of axes to keep.
//
//   grid N      N values from the lowest to the highest, both included, at equal steps (one value: the middle)
//   random N    N values drawn uniformly, by the study's seed and the axis's name: more draws begin with the same ones
//
// Optionally "from LOW to HIGH" and "log" (equal ratios) follow. The default range is a tenth to ten times
// the option's default, "log", cut to valid values; for default 0, all valid values, if within 0 to 1. Whole
// numbers are rounded and unique. Errors (Error): an unknown form, an empty range, "log" from 0 or below, a
// missing default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/sweep/catalog.h"

namespace leeway::sweep {

// "grid 5", "random 20 from 0 to 1"; a text of another option is no range.
// `part`: of an option that takes NAME=VALUE, whose values may be of any kind.
[[nodiscard]] bool is_range(const CatalogOption& option, std::string_view part, std::string_view text);

// `place`: where it stands, for messages; `axis`: "train.lr".
[[nodiscard]] std::vector<std::string> values_of_range(const CatalogOption& option, const std::string& text,
                                                       const std::string& axis, std::uint64_t seed,
                                                       const std::string& place);

// Conditions separated by commas, "train.algorithm=irm|vrex, train.lr>0.01": an axis, one of = != < <= > >=,
// and a value (several with |, for = and !=). Compares as numbers where both sides are.
struct Condition {
  std::string axis, sign;
  std::vector<std::string> values;
  std::size_t place = 0;  // of the axis among those of the study
};
using Rule = std::vector<Condition>;

// Error (place, expected, found) where it is no rule.
[[nodiscard]] Rule parse_rule(std::string_view text, const std::string& place);

[[nodiscard]] bool holds(const Condition& condition, const std::string& value);

}  // namespace leeway::sweep
