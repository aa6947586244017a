// Levenshtein distance: the fewest symbols inserted, deleted or replaced that lead from one sequence to another.
//
// Exact. Source: Myers, "A fast bit-vector algorithm for approximate string matching", JACM 1999, in blocks of 64 rows
// (Hyyro 2003) within a band about the diagonal that grows until it holds the best path (Ukkonen 1985).
//
// Symbols are any numbers: code points, or words by number. Cost: some n d / 32 steps for n symbols and a distance of
// d, at least n; 1,200 letters in 10 to 100 us. Memory: O(n).
#pragma once

#include <cstddef>
#include <string_view>

namespace leeway {

[[nodiscard]] std::size_t edit_distance(std::u32string_view a, std::u32string_view b);

}  // namespace leeway
