#include "leeway/sweep/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"

namespace leeway::sweep {
namespace {

constexpr double most_values = 1e6;

struct AxisRange {
  bool random = false, logarithmic = false;
  std::size_t count = 0;
  double low = 0, high = 0;
};

// Nothing where the words are of another form.
std::optional<AxisRange> parse(const CatalogOption& option, const std::vector<std::string>& words) {
  const auto count = words.size() < 2 ? std::nullopt : parse_number(words[1]);
  if (!count || !(*count >= 1 && *count <= most_values) || *count != std::floor(*count)) return {};
  AxisRange range{.random = words[0] == "random", .count = static_cast<std::size_t>(*count)};
  if (words.size() == 2) {
    const auto at = parse_number(option.default_text);
    if (at && *at > 0) {
      range.logarithmic = true;
      range.low = std::max(*at / 10, option.low), range.high = std::min(*at * 10, option.high);
    } else if (at && *at == 0 && option.low == 0 && option.high <= 1) {
      range.low = option.low, range.high = option.high;
    }
    if (range.low < range.high) return range;
    return {};
  }
  const bool logarithmic = words.size() == 7 && words[6] == "log";
  if ((words.size() != 6 && !logarithmic) || words[2] != "from" || words[4] != "to") return {};
  const auto low = parse_number(words[3]), high = parse_number(words[5]);
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || !(*low < *high)) return {};
  if (logarithmic && !(*low > 0)) return {};
  range.logarithmic = logarithmic, range.low = *low, range.high = *high;
  return range;
}

// At a share from 0 to 1 of the range.
double value_at(const AxisRange& range, double share) {
  if (share <= 0) return range.low;
  if (share >= 1) return range.high;
  return range.logarithmic ? std::exp(std::lerp(std::log(range.low), std::log(range.high), share))
                           : std::lerp(range.low, range.high, share);
}

constexpr std::array<std::string_view, 6> signs{"!=", "<=", ">=", "=", "<", ">"};  // the longer ones first

bool equal(const std::string& a, const std::string& b) {
  const auto x = parse_number(a), y = parse_number(b);
  return x && y ? *x == *y : a == b;
}

}  // namespace

bool is_range(const CatalogOption& option, std::string_view part, std::string_view text) {
  for (const std::string_view word : {"grid", "random"}) {
    if (!text.starts_with(word)) continue;
    const std::string_view rest = text.substr(word.size());
    return option.number ||
           (!part.empty() && rest.size() > 1 && rest[0] == ' ' && rest[1] >= '0' && rest[1] <= '9');
  }
  return false;
}

std::vector<std::string> values_of_range(const CatalogOption& option, const std::string& text,
                                         const std::string& axis, std::uint64_t seed,
                                         const std::string& place) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  const auto range = parse(option, words);
  if (!range && words.size() == 2 && parse_number(words[1]))
    refuse(place,
           fmt::format("a range for {}, as in \"{} {} from LOW to HIGH\", because it has {}", axis, words[0],
                       words[1],
                       option.default_text.empty() ? "no default, or several defaults" : "no default range"),
           in_quotes(text));
  if (!range)
    refuse(place,
           fmt::format("\"grid N\" or \"random N\"{1} \"from LOW to HIGH\" and \"log\" for {0}", axis,
                       option.default_text.empty() ? ", then" : ", then optionally"),
           in_quotes(text));
  Random random(seed, stream(axis));
  std::vector<std::string> values;
  std::set<std::string> known;
  for (std::size_t i = 0; i < range->count; ++i) {
    const double share = range->random       ? random.uniform()
                         : range->count == 1 ? .5
                                             : static_cast<double>(i) / static_cast<double>(range->count - 1);
    const double value = value_at(*range, share);
    std::string word = option.whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
    if (known.insert(word).second) values.push_back(std::move(word));
  }
  return values;
}

Rule parse_rule(std::string_view text, const std::string& place) {
  Rule rule;
  for (const std::string& part : split(std::string(text), ',')) {
    const std::size_t at = part.find_first_of("=!<>");
    const std::string_view rest = std::string_view(part).substr(std::min(at, part.size()));
    const auto sign = std::ranges::find_if(signs, [&](std::string_view s) { return rest.starts_with(s); });
    if (sign == signs.end()) refuse(place, "AXIS=VALUE", in_quotes(part));
    Condition condition{std::string(trimmed(std::string_view(part).substr(0, at))), std::string(*sign), {}};
    for (const std::string& value : split(std::string(rest.substr(sign->size())), '|'))
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
