#include "leeway/sweep/condition.h"

#include <algorithm>
#include <array>

#include "leeway/core/csv.h"
#include "leeway/core/message.h"
#include "leeway/record/number_list.h"

namespace leeway::sweep {
namespace {

constexpr std::array<std::string_view, 6> signs{"!=", "<=", ">=", "=", "<", ">"};  // the longer ones first

bool equal(const std::string& a, const std::string& b) {
  const auto x = parse_number(a), y = parse_number(b);
  return x && y ? *x == *y : a == b;
}

}  // namespace

Rule parse_rule(std::string_view text, const std::string& place) {
  Rule rule;
  for (const std::string& part : record::split(std::string(text), ',')) {
    const std::size_t at = part.find_first_of("=!<>");
    const std::string_view rest = std::string_view(part).substr(std::min(at, part.size()));
    const auto sign = std::ranges::find_if(signs, [&](std::string_view s) { return rest.starts_with(s); });
    if (sign == signs.end()) refuse(place, "AXIS=VALUE", in_quotes(part));
    Condition condition{std::string(trimmed(std::string_view(part).substr(0, at))), std::string(*sign), {}};
    for (const std::string& value : record::split(std::string(rest.substr(sign->size())), '|'))
      condition.values.emplace_back(trimmed(value));
    const bool ordered = sign->front() == '<' || sign->front() == '>';
    if (condition.values.empty() || (ordered && condition.values.size() > 1))
      refuse(place, ordered ? "one value" : "a value", in_quotes(part));
    if (ordered && !parse_number(condition.values.front())) refuse(place, "a number", in_quotes(part));
    rule.push_back(std::move(condition));
  }
  return rule;
}

bool holds(const Condition& condition, const std::string& value) {
  const bool is_one = std::ranges::any_of(condition.values, [&](const auto& v) { return equal(v, value); });
  if (condition.sign == "=") return is_one;
  if (condition.sign == "!=") return !is_one;
  const auto number = parse_number(value);
  if (!number) return false;
  const double limit = *parse_number(condition.values.front());
  if (condition.sign == "<") return *number < limit;
  if (condition.sign == "<=") return *number <= limit;
  return condition.sign == ">" ? *number > limit : *number >= limit;
}

}  // namespace leeway::sweep
