// How whole numbers name classes: 0 to k-1, 1 to k, or -1 and +1 for two.
//
// Told by the numbers of a whole set: -1 and 1 alone, a -1 among them, for two classes are signs; numbers from 1 to k that
// reach k are counted from 1; all others from 0, the standard. A set without 0 and without k fits both countings: it is
// counted from 0, and `either` says so, since another set of the same classes may decide otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace leeway {

enum class LabelCoding { none, from_zero, either, from_one, signs };  // none: no numbers

// `first`: the number of the first class, where it is known.
[[nodiscard]] LabelCoding coding_of(std::span<const std::int64_t> labels, std::size_t k,
                                    std::optional<std::size_t> first);

// The class, from 0, that `label` names; not checked against k.
[[nodiscard]] std::int64_t class_of(std::int64_t label, LabelCoding coding);

// "1 to 3", "-1 and 1": what is not the standard; empty for it.
[[nodiscard]] std::string coding_text(LabelCoding coding, std::size_t k);

}  // namespace leeway
