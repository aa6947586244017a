// Texts, shifted by name, and what they are measured by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/characters.h"
#include "leeway/core/random.h"
#include "leeway/core/utf8.h"
#include "leeway/shift/text.h"

namespace leeway::shift {

inline std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const std::u32string points = code_points_from_utf8(text).value();
  for (const char32_t c : points) {
    if (is_white_space(c)) {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += utf8_from_code_points(std::u32string(1, c)).value();
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

inline std::size_t distance(std::string_view a, std::string_view b) {
  return edit_distance(code_points_from_utf8(a).value(), code_points_from_utf8(b).value());
}

inline std::string run(std::string_view name, std::string_view text, double strength, std::size_t row = 0,
                       TextOptions options = {}, Sign sign = Sign::positive) {
  options.strength = strength;
  return text_shift(name).apply(text, row, sign, options);
}

inline std::string random_letters(std::size_t size, std::uint64_t row) {
  Random random(11, stream("letters"), row);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + random.below(26));
  return text;
}

// Words of letters and signs, white space of all kinds.
inline std::string random_text(std::size_t words, std::uint64_t row) {
  Random random(12, stream("words"), row);
  std::string text = random.below(3) == 0 ? " " : "";
  for (std::size_t i = 0; i < words; ++i) {
    text += random_letters(1 + random.below(8), 1000 * row + i);
    const std::string ends[] = {" ", " ", " ", ", ", ".\n", "  ", "! ", "\t", " - ", "'s "};
    text += ends[random.below(10)];
  }
  return text;
}

}  // namespace leeway::shift
