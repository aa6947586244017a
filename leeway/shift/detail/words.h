// The words of a text and the white space between them. Not part of the library's interface.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/shift/text.h"

namespace leeway::shift {

// gaps[i] stands before words[i], the last one at the end; the first and the last may be empty. Views into the text.
struct Words {
  std::vector<std::u32string_view> words, gaps;
};
[[nodiscard]] Words words_of(std::u32string_view text);

// 0, 1, ..., one less than the number of words.
[[nodiscard]] std::vector<std::size_t> places_of(const Words& text);

// One of order[done], order[done + 1], ... at random, moved to order[done]: of repeated calls, sampling without replacement.
[[nodiscard]] std::size_t draw_one(std::vector<std::size_t>& order, std::size_t done, Random& random);

}  // namespace leeway::shift
