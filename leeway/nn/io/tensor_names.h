// Names of tensors in files against those that an architecture has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway::nn {

// Without the prefixes module., model., net., network. and _orig_mod. that all names share, one after another until there is
// a tensor `known` or no shared prefix is left.
[[nodiscard]] ArrayMap without_prefixes(ArrayMap tensors, std::string_view known);

// The candidate with the fewest single-byte edits to `name`; empty where more than a third of its bytes would
// change.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

// "no conv1.weight (nearest: conv.weight), and unknown conv.weight": at most 8 names of each kind, and how
// many more there are.
[[nodiscard]] std::string describe_mismatch(std::span<const std::string> missing,
                                            std::span<const std::string> unknown);

}  // namespace leeway::nn
