// Matches tensor names in files with those of an architecture.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway::nn {

// What stands before ".known" in the names of tensors: "student.", "teacher.".
[[nodiscard]] std::vector<std::string> names_before(const ArrayMap& tensors, std::string_view known);

// Removes the prefixes that all tensors share until one is called `known`; if none can be, the usual ones
// (module., model., net., network., _orig_mod.).
[[nodiscard]] ArrayMap without_prefixes(ArrayMap tensors, std::string_view known);

// "no conv1.weight (nearest: conv.weight), and unknown conv.weight": at most 8 of each, then a count.
[[nodiscard]] std::string describe_mismatch(std::span<const std::string> missing,
                                            std::span<const std::string> unknown);

}  // namespace leeway::nn
