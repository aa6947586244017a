// Lines and words of the lists that come with data sets.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/message.h"

namespace leeway::data {

// The next line without its end; nothing at the end of the text.
[[nodiscard]] inline std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && !blank(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Calls `each` with the words of every line that has some. Error: a line of another number of words; `what` they are.
template <class Each>
void for_each_line(std::string_view text, std::string_view name, std::size_t count, std::string_view what,
                   const Each& each) {
  for (std::size_t row = 0; const auto line = next_line(text); ++row) {
    const auto words = words_of(*line);
    if (words.empty()) continue;
    if (words.size() != count)
      refuse(name, fmt::format("{} in each line", what),
             fmt::format("{} words at row {}", words.size(), row));
    each(words, row);
  }
}

}  // namespace leeway::data
