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

// Words that may be edited: all, or those without a backslash.
[[nodiscard]] std::vector<std::size_t> editable(const Words& text, Backslashes backslashes);

// The word at `place` and the white space before it at the end of `out`, or a single space before all but the first.
void append(std::u32string& out, const Words& text, std::size_t place, std::u32string_view word,
            Layout layout);
// What stands behind the last word.
void finish(std::u32string& out, const Words& text, Layout layout);

// One of order[done], order[done + 1], ... at random, moved to order[done]: of repeated calls, sampling without replacement.
[[nodiscard]] std::size_t draw_one(std::vector<std::size_t>& order, std::size_t done, Random& random);

}  // namespace leeway::shift
