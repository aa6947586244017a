// How numbers are written for readers: on the page, in headlines, on the terminal.
//
// Precision follows the interval: a value with an interval of +-.9 points has one decimal.
#pragma once

#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "leeway/core/json_fwd.h"
#include "leeway/core/statistics.h"

namespace leeway {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// A value with its interval, where there is one.
struct Measured {
  std::optional<double> value = {}, low = {}, high = {};
};
[[nodiscard]] inline Measured measured(const std::optional<double>& value,
                                       const std::optional<Interval>& interval) {
  if (!value || !interval) return {value};
  return {value, interval->low, interval->high};
}
[[nodiscard]] inline Measured measured(const std::optional<Estimate>& estimate) {
  return estimate ? measured(estimate->value, estimate->interval) : Measured{};
}

// The first element whose `value`, where it has one, is least; null where none has.
template <class List, class Value>
[[nodiscard]] auto lowest(const List& list, const Value& value) -> decltype(&*std::begin(list)) {
  decltype(&*std::begin(list)) found = nullptr;
  std::optional<double> least;
  for (const auto& one : list)
    if (const std::optional<double> own = value(one); own && (!least || *own < *least))
      found = &one, least = own;
  return found;
}

// Decimals, 0..4, that a half width supports (one more if its first digit is 1); `otherwise` if 0 or not
// finite.
[[nodiscard]] int decimals_for(double half_width, int otherwise);

// Decimals of a percentage with an interval `width` percentage points wide: digits below the width are
// dropped.
[[nodiscard]] int percent_digits(double width);

[[nodiscard]] std::string fixed(double value, int decimals);      // "-0.35"; "∞", "–∞", "not a number"
[[nodiscard]] std::string significant(double value, int digits);  // "0.0123", "1.7", "2.3e+06"; "∞"
[[nodiscard]] std::string count(std::size_t value);               // "10,000"
[[nodiscard]] std::string percent(double share, int decimals = 0);  // "74%"
[[nodiscard]] std::string percent(const Measured& share);           // "74.0%", digits by the interval
[[nodiscard]] std::string percent_interval(const Measured& share);  // "73.1–74.9"; empty without one
// A confidence: "98%", "99.7%", ">99.9%".
[[nodiscard]] std::string sureness(double confidence);
[[nodiscard]] std::string signed_points(const Measured& change);  // "+3.1", "−71.6", digits by the interval
[[nodiscard]] std::string signed_points_interval(
    const Measured& change);  // "−72.5 to −70.6"; empty without one
// "74.0% (73.1–74.9)" of a share, "1.203 (1.187 to 1.219)" of another number, "not known".
[[nodiscard]] std::string value_words(const Measured& value, bool share);
[[nodiscard]] std::string bytes(std::size_t value);  // "480 kB"

// Five significant digits are enough for a chart, and a third of the size.
[[nodiscard]] Json brief(double value);
[[nodiscard]] Json brief(const std::optional<double>& value);  // null where there is none

}  // namespace leeway
