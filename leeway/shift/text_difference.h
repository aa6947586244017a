// Two texts side by side, for readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leeway::shift {

struct TextPair {
  std::string before, after;
};

// The parts around the first difference: from at most a quarter of `limit` characters before it on, `limit` characters; "..."
// stands where something is left out. Both texts are UTF-8.
[[nodiscard]] TextPair excerpts(std::string_view before, std::string_view after, std::size_t limit);

// Words that the other text lacks in [brackets] in the first and in {braces} in the second, by a longest common subsequence of
// words and white space. Cost: the product of their numbers.
[[nodiscard]] TextPair marked(std::string_view before, std::string_view after);

}  // namespace leeway::shift
