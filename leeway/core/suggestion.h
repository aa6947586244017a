// The name that a mistyped one probably means, for messages.
//
// Near: the same bare word (core/text.h); a beginning of three letters or more; or typing mistakes in at most a third of
// the letters of the longer of the two. The nearest is named, the first of several. Cost: the edit distance to each name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace leeway {

// The edit distance of two words in bytes; 1 for the same letters in another order.
[[nodiscard]] std::size_t typing_mistakes(std::string_view a, std::string_view b);

// One of `names`, or "" where none is near.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string> names);

// "; did you mean accuracy?", or "".
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace leeway
