#include "leeway/core/csv_separator.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::array<char, 3> separators{',', ';', '\t'};
constexpr std::size_t rows_looked_at = 20;

// Of the first lines, how often each separator stands in them; a line end within quotes ends no line.
std::vector<std::array<std::size_t, 3>> count_separators(std::string_view text) {
  std::vector<std::array<std::size_t, 3>> lines;
  std::array<std::size_t, 3> counts{};
  bool quoted = false, empty = true;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) {
      if (!empty) lines.push_back(counts);
      if (lines.size() > rows_looked_at) return lines;
      counts = {}, empty = true;
      continue;
    }
    empty = empty && c == '\r';
    for (std::size_t s = 0; s < separators.size(); ++s)
      if (c == separators[s] && !quoted) ++counts[s];
  }
  if (!empty) lines.push_back(counts);
  return lines;
}

}  // namespace

char find_separator(std::string_view text, std::string_view name) {
  const auto lines = count_separators(text);
  if (lines.empty()) return ',';
  std::vector<char> even, in_header;
  for (std::size_t s = 0; s < separators.size(); ++s) {
    const std::size_t fields = lines.front()[s];
    if (fields == 0) continue;
    in_header.push_back(separators[s]);
    bool same = true;
    for (const auto& counts : lines) same = same && counts[s] == fields;
    if (same) even.push_back(separators[s]);
  }
  if (in_header.size() == 1) return in_header.front();
  if (even.size() > 1)
    refuse(name, "one separator of columns (--separator decides)",
           fmt::format("a {} and a {}, each as often in the header as in the rows", separator_name(even[0]),
                       separator_name(even[1])));
  return even.empty() ? ',' : even.front();
}

std::string_view separator_name(char separator) {
  return separator == '\t' ? "tab" : separator == ';' ? "semicolon" : "comma";
}

}  // namespace leeway
