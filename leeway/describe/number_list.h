// Lists as texts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/describe/fields.h"

namespace leeway {

// "a,b" -> "a", "b"; what ends with `at` has no empty part there, an empty text is one.
[[nodiscard]] std::vector<std::string> split(const std::string& text, char at);

// "0,0.5,1", where a part may be a range such as "0:1:0.1" (first, last, step), each within the range. No value if the
// text has another form or more than `most_numbers` numbers.
inline constexpr std::size_t most_numbers = 100'000;
[[nodiscard]] std::optional<std::vector<double>> parse_numbers(const std::string& text, const Range& range);

}  // namespace leeway
