// Words for error messages: one line, whatever the input held.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace leeway {

// `text` with control characters and invalid UTF-8 as \xNN, cut after `limit` bytes (then it ends in "...").
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 60);

// 'text', printable.
[[nodiscard]] std::string in_quotes(std::string_view text);

// A path as messages show it: never cut.
[[nodiscard]] std::string display_name(const std::filesystem::path& path);

// Throws Error: "NAME: expected EXPECTED, found FOUND".
[[noreturn]] void refuse(std::string_view name, std::string_view expected, std::string_view found);

}  // namespace leeway
