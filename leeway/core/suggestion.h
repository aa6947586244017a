// Suggests the name that a mistyped one probably means, for messages.
//
// A near name has the same bare word (core/text.h), shares a prefix of three letters or more, or differs by
// at most a third of the longer name's letters. Returns the nearest, the first of equals. Cost: one edit
// distance per name.
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

// Position of a name. Error if absent, with the nearest name (`where` opens it; without `what`, it lists all
// names).
std::size_t index_of_name(std::string_view name, std::span<const std::string> names, std::string_view where,
                          std::string_view what = "");

}  // namespace leeway
