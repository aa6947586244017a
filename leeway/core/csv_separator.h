// What stands between the fields of a table: a comma, a semicolon or a tab.
#pragma once

#include <string_view>

namespace leeway {

// Told by the header and the first rows, outside quotes: the one of the three that cuts the header into at least two
// fields, and the rows into as many. A comma where none does. Error (named `name`) where several do, which names them.
[[nodiscard]] char find_separator(std::string_view text, std::string_view name);

// "comma", "semicolon", "tab".
[[nodiscard]] std::string_view separator_name(char separator);

}  // namespace leeway
