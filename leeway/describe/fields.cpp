#include "leeway/describe/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "leeway/core/family.h"
#include "leeway/describe/overloaded.h"

namespace leeway {
namespace {

std::string number_text(double value) {
  const bool is_whole = std::abs(value) < 1e15 && value == std::floor(value);
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value);
}

std::string in_range(const std::string& what, const Range& range) {
  std::string text = what;
  const bool least = std::isfinite(range.least);
  if (least) text += " from " + number_text(range.least);
  if (std::isfinite(range.most)) text += (least ? " to " : " up to ") + number_text(range.most);
  return text;
}

std::string whole(Range range, bool is_signed) {
  if (!is_signed && !(range.least > 0)) range.least = 0;
  return in_range("an integer", range);
}

}  // namespace

void Fields::measured(std::string_view name, double& value, Interval& interval, Range range,
                      std::string_view meaning) {
  const std::string low = fmt::format("{}_low", name), high = fmt::format("{}_high", name);
  (*this)(name, value, range, meaning);
  (*this)(low, interval.low, range, fmt::format("lower end of the interval of {}", name));
  (*this)(high, interval.high, range, fmt::format("upper end of the interval of {}", name));
}

void Fields::ends(std::string_view name, std::optional<Interval>& interval, Range range) {
  const std::string low_name = fmt::format("{}_low", name), high_name = fmt::format("{}_high", name);
  std::optional<double> low, high;
  if (interval) low = interval->low, high = interval->high;
  (*this)(low_name, low, range, fmt::format("lower end of the interval of {}", name));
  (*this)(high_name, high, range, fmt::format("upper end of the interval of {}", name));
  interval.reset();
  if (low && high) interval = {*low, *high};
}

void Fields::numbers(std::string_view name, std::map<std::string, double>& values, std::string_view meaning) {
  std::map<std::string, std::optional<double>> visited(values.begin(), values.end());
  (*this)(name, visited, meaning);
  values.clear();
  for (const auto& [key, value] : visited)
    if (value) values[key] = *value;
}

void measured(Fields& f, std::string_view name, Measured& value, Range range, std::string_view meaning) {
  const std::string of(name);
  f(name, value.value, range, meaning);
  f(of + "_low", value.low, range, "lower end of the interval of " + of);
  f(of + "_high", value.high, range, "upper end of the interval of " + of);
}

bool may_be_null(const Field& field, const Slot& slot) {
  if (const auto* nested = std::get_if<Nested>(&slot))
    return field.null_if_empty || nested->shape == Nested::Shape::optional;
  return field.null_if_empty || std::holds_alternative<std::optional<double>*>(slot) ||
         std::holds_alternative<std::optional<std::size_t>*>(slot) ||
         std::holds_alternative<std::optional<bool>*>(slot) ||
         std::holds_alternative<std::optional<std::string>*>(slot);
}

std::string expected(const Field& field, const Slot& slot) {
  const auto text = [&] { return field.choices.empty() ? "a string" : "one of " + names_of(field.choices); };
  return std::visit(
      Overloaded{
          [&]<class T>(const std::optional<T>*) { return expected(field, static_cast<T*>(nullptr)); },
          [&](const double*) { return in_range("a number", field.range); },
          [&](const std::size_t*) { return whole(field.range, false); },
          [&](const std::int64_t*) { return whole(field.range, true); },
          [&](const bool*) { return std::string("true or false"); },
          [&](const std::string*) { return text(); },
          [&](const Nested& nested) {
            return std::string(nested.shape == Nested::Shape::list ? "a list" : "an object");
          },
          [&](const std::map<std::string, std::optional<double>>*) { return std::string("an object"); },
          [&](const std::map<std::string, std::string>*) { return std::string("an object"); },
          [&](const auto*) { return std::string("a list"); }},
      slot);
}

}  // namespace leeway
