#include "leeway/core/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "leeway/core/result.h"

namespace leeway {
namespace {

std::optional<std::string> not_finite(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "∞" : "–∞";
  return std::nullopt;
}

int percent_decimals(const Measured& share) {
  if (!share.low || !share.high) return 1;
  return decimals_for(50 * (*share.high - *share.low), 1);
}

std::string points_interval(const Measured& share, const char* between) {
  if (!share.low || !share.high) return "";
  const int decimals = percent_decimals(share);
  return fixed(100 * *share.low, decimals) + between + fixed(100 * *share.high, decimals);
}

}  // namespace

int decimals_for(double half_width, int otherwise) {
  if (!std::isfinite(half_width) || half_width <= 0) return otherwise;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(half_width / 2))), 0, 4);
}

int percent_digits(double width) {
  constexpr int max_digits = 4;
  if (!(width > 0)) return max_digits;
  return std::clamp(static_cast<int>(-std::floor(std::log10(width))), 0, max_digits);
}

std::string fixed(double value, int decimals) {
  if (const auto word = not_finite(value)) return *word;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text[0] == '-' && text.find_first_of("123456789") == text.npos) text.erase(0, 1);  // no "-0.0"
  if (text[0] == '-') text.replace(0, 1, "−");
  return text;
}

std::string significant(double value, int digits) {
  if (const auto word = not_finite(value)) return *word;
  std::string text = fmt::format("{:.{}g}", value, digits);
  if (text[0] == '-') text.replace(0, 1, "−");
  return text;
}

std::string count(std::size_t value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string percent(double share, int decimals) { return fixed(100 * share, decimals) + "%"; }

std::string percent(const Measured& share) {
  return percent(share.value.value_or(NAN), percent_decimals(share));
}

std::string percent_interval(const Measured& share) { return points_interval(share, "–"); }

std::string sureness(double confidence) {
  if (confidence >= .9995) return ">99.9%";
  return percent(confidence, confidence >= .995 ? 1 : 0);
}

std::string signed_points(const Measured& change) {
  const double points = 100 * change.value.value_or(NAN);
  return (points > 0 ? "+" : "") + fixed(points, percent_decimals(change));
}

std::string signed_points_interval(const Measured& change) { return points_interval(change, " to "); }

std::string value_words(const Measured& value, bool share) {
  if (!value.value) return "not known";
  if (share) {
    const std::string interval = percent_interval(value);
    return percent(value) + (interval.empty() ? "" : " (" + interval + ")");
  }
  if (!value.low || !value.high) return fixed(*value.value, 3);
  const int decimals = decimals_for((*value.high - *value.low) / 2, 3);
  return fmt::format("{} ({} to {})", fixed(*value.value, decimals), fixed(*value.low, decimals),
                     fixed(*value.high, decimals));
}

std::string bytes(std::size_t value) {
  const auto size = static_cast<double>(value);
  if (size < 1e3) return fmt::format("{} B", value);
  if (size < 1e6) return fmt::format("{:.0f} kB", size / 1e3);
  if (size < 1e9) return fmt::format("{:.1f} MB", size / 1e6);
  return fmt::format("{:.1f} GB", size / 1e9);
}

Json brief(double value) {
  if (!std::isfinite(value)) return nullptr;
  // Not std::stod, which throws at subnormal numbers; five digits of the largest ones are beyond float64.
  const double rounded = std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
  return std::isfinite(rounded) ? rounded : value;
}

Json brief(const std::optional<double>& value) { return value ? brief(*value) : Json(); }

}  // namespace leeway
