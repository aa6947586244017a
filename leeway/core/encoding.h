// Text in encodings other than UTF-8, as spreadsheets save tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leeway {

enum class Encoding { utf8, windows_1252, latin1, utf16 };

// "utf-8", "windows-1252" (also "cp1252"), "latin-1" (also "iso-8859-1"), "utf-16"; case does not matter.
[[nodiscard]] std::optional<Encoding> encoding_of(std::string_view name);

// Of text that is not UTF-8: "utf-16" if it has NULs, else an example, "windows-1252".
[[nodiscard]] std::string_view likely_encoding(std::string_view text);

// The same text in UTF-8. UTF-16 without a byte-order mark is little-endian. Error (named `name`): half a character.
[[nodiscard]] std::string to_utf8(std::string_view text, Encoding encoding, std::string_view name);

}  // namespace leeway
