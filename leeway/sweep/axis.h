// The values of an axis: listed, or taken from a range.
//
//   grid N      N values from the lowest to the highest, both included, at equal steps (one value: the middle)
//   random N    N values drawn uniformly, by the study's seed and the axis's name: more draws begin with the same ones
//
// Both are followed by nothing, or by "from LOW to HIGH" and, for equal ratios instead of steps, "log". Without a
// range it is a tenth of the option's default to ten times it, "log", as far as these values are legal; where the default
// is 0, all legal values, if they lie between 0 and 1. Whole numbers are rounded, and each stands
// once. Errors (Error): none of these forms, a range of no width, "log" from 0 or below, no default to go by.
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

}  // namespace leeway::sweep
