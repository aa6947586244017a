// Categories, letter case and normalization of Unicode code points, by utf8proc's tables.
//
// The case of one code point has no context: the capital of sharp s, U+00DF, is U+1E9E. Cost: a few ns per
// letter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leeway {

// The property White_Space: tab to carriage return, space, U+0085, U+00A0, U+1680, U+2000 to U+200A, ...
[[nodiscard]] bool is_white_space(char32_t point);

// General category: "Lu" and others of letters, "Nd", "Nl" and "No" of numbers, ...
[[nodiscard]] std::string_view category(char32_t point);

// Normalization forms C and KC of valid UTF-8; `fold`: after case folding.
[[nodiscard]] std::string composed(std::string_view text);
[[nodiscard]] std::string compatible(std::string_view text, bool fold);

// As Python's str.lower(): final sigma is U+03C2, and I with a dot (U+0130) becomes two code points.
[[nodiscard]] std::u32string lower_case(std::u32string_view text);
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
