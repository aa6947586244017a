// UTF-8: checked, and converted from and to code points (NumPy keeps text as four bytes a character).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace leeway {

// Bytes of the first character; 0 if invalid (overlong, surrogate, truncated) or empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

// Nothing where a code point is a surrogate or above 10FFFF.
[[nodiscard]] std::optional<std::string> utf8_from_code_points(std::u32string_view points);

// Nothing where `text` is not valid UTF-8.
[[nodiscard]] std::optional<std::u32string> code_points_from_utf8(std::string_view text);

}  // namespace leeway
