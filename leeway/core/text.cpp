#include "leeway/core/text.h"

#include <algorithm>

namespace leeway {

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

void append_new(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

}  // namespace leeway
