// Levenshtein distance: the minimum number of insertions, deletions and replacements between two sequences.
//
// Exact: Myers, "A fast bit-vector algorithm for approximate string matching", JACM 1999, in blocks of 64
// rows (Hyyro 2003) within a growing diagonal band (Ukkonen 1985). Symbols are any numbers, such as code
// points. Cost: about n d / 32 steps (at least n) for n symbols and distance d; 1,200 letters take 10 to 100
// us. Memory: O(n).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leeway {

[[nodiscard]] std::size_t edit_distance(std::u32string_view a, std::u32string_view b);

}  // namespace leeway
