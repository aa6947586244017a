#include "leeway/core/message.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "leeway/core/characters.h"
#include "leeway/core/utf8.h"

namespace leeway {

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (i >= limit) return out + "...";
    const std::size_t length = utf8_length(text.substr(i));
    const auto first = static_cast<unsigned char>(text[i]);
    // U+0080..U+009F are control characters too: C2 80 .. C2 9F.
    const bool control = first < 0x20 || first == 0x7f ||
                         (length == 2 && first == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0);
    if (length == 0 || control) {
      out += fmt::format("\\x{:02x}", first);
      ++i;
      continue;
    }
    out += text.substr(i, length);
    i += length;
  }
  return out;
}

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

std::string display_name(const std::filesystem::path& path) {
  return printable(path.native(), std::numeric_limits<std::size_t>::max());
}

void refuse(std::string_view name, std::string_view expected, std::string_view found) {
  throw Error(fmt::format("{}: expected {}, found {}", name, expected, found));
}

void refuse(std::string_view name, std::string_view expected, std::size_t found) {
  refuse(name, expected, std::to_string(found));
}

std::size_t text_width(std::string_view text) {
  // bytes 10xxxxxx go on with a code point
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::string out, current;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!current.empty() && text_width(current) + 1 + text_width(word) > width) {
      out += current + '\n';
      current.clear();
    }
    if (!current.empty()) current += ' ';
    current += word;
    at = end + 1;
  }
  return out + current + '\n';
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string bare_word(std::string_view text) {
  std::string word = lower_case(text);
  std::erase_if(word, [](char c) { return std::string_view(" \t_-.:").find(c) != std::string_view::npos; });
  return word;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

std::string comma_list(std::span<const std::string> words, std::size_t limit) {
  return printable(fmt::format("{}", fmt::join(words, ", ")), limit);
}

void append_new(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::size_t typing_mistakes(std::string_view a, std::string_view b) {
  if (a.size() == b.size() && a != b && std::is_permutation(a.begin(), a.end(), b.begin())) return 1;
  return edit_distance(std::u32string(a.begin(), a.end()), std::u32string(b.begin(), b.end()));
}

std::string_view nearest_name(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t least_beginning = 3;
  const std::string meant = bare_word(word);
  if (meant.empty()) return {};
  std::string_view nearest, begins;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : names) {
    const std::string other = bare_word(name);
    if (other == meant) return name;
    if (begins.empty() && meant.size() >= least_beginning && other.starts_with(meant)) begins = name;
    const std::size_t distance = typing_mistakes(meant, other);
    if (distance < least && 3 * distance <= std::max(meant.size(), other.size()))
      least = distance, nearest = name;
  }
  return begins.empty() ? nearest : begins;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string_view name = nearest_name(word, names);
  return name.empty() ? "" : fmt::format("; did you mean {}?", printable(name));
}

std::size_t index_of_name(std::string_view name, std::span<const std::string> names, std::string_view where,
                          std::string_view what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    refuse(where, what.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : std::string(what),
           in_quotes(name) + did_you_mean(name, names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace leeway
