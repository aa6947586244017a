// Which combinations of axes are kept: conditions such as "train.algorithm=irm|vrex, train.lr>0.01".
//
// A rule is conditions by commas, each an axis, one of = != < <= > >=, and a value, or several of = and != with |
// between. Numbers are compared as numbers where both sides are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leeway::sweep {

struct Condition {
  std::string axis, sign;
  std::vector<std::string> values;
};
using Rule = std::vector<Condition>;

// Error (place, expected, found) where it is no rule.
[[nodiscard]] Rule parse_rule(std::string_view text, const std::string& place);

[[nodiscard]] bool holds(const Condition& condition, const std::string& value);

}  // namespace leeway::sweep
