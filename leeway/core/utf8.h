// Checks UTF-8 and converts it from and to code points (NumPy stores four bytes per character).
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

// Text in encodings other than UTF-8, as spreadsheets save tables.

enum class Encoding { utf8, windows_1252, latin1, utf16 };

// "utf-8", "windows-1252" (also "cp1252"), "latin-1" (also "iso-8859-1"), "utf-16"; case does not matter.
[[nodiscard]] std::optional<Encoding> encoding_of(std::string_view name);

// Of text that is not UTF-8: "utf-16" if it has NULs, else an example, "windows-1252".
[[nodiscard]] std::string_view likely_encoding(std::string_view text);

// The same text in UTF-8. UTF-16 without a byte-order mark is little-endian. Error (named `name`): half a character.
[[nodiscard]] std::string to_utf8(std::string_view text, Encoding encoding, std::string_view name);

}  // namespace leeway
