// White space and letter case of Unicode code points.
//
// Case maps single code points without context (utf8proc): the capital of sharp s, U+00DF, is U+1E9E, and final sigma is
// not special. Cost: a few ns per letter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leeway {

// The property White_Space: tab to carriage return, space, U+0085, U+00A0, U+1680, U+2000 to U+200A, ...
[[nodiscard]] bool is_white_space(char32_t point);

[[nodiscard]] char32_t lower_case(char32_t point);
[[nodiscard]] char32_t upper_case(char32_t point);

// Levenshtein distance: the minimum number of insertions, deletions and replacements between two sequences.
//
// Exact: Myers, "A fast bit-vector algorithm for approximate string matching", JACM 1999, in blocks of 64
// rows (Hyyro 2003) within a growing diagonal band (Ukkonen 1985). Symbols are any numbers, such as code
// points. Cost: about n d / 32 steps (at least n) for n symbols and distance d; 1,200 letters take 10 to 100
// us. Memory: O(n).
[[nodiscard]] std::size_t edit_distance(std::u32string_view a, std::u32string_view b);

}  // namespace leeway
