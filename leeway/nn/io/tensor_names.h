// Matches tensor names in files with those of an architecture.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/io/safetensors.h"

namespace leeway::nn {

// What stands before ".known" in the names of tensors: "student.", "teacher.".
[[nodiscard]] std::vector<std::string> names_before(const ArrayMap& tensors, std::string_view known);

// Removes the prefixes that all tensors share until one is called `known`; if none can be, the usual ones
// (module., model., net., network., _orig_mod.).
[[nodiscard]] ArrayMap without_prefixes(ArrayMap tensors, std::string_view known);

// What networks of RobustBench save beside their weights: buffers mu and sigma (mean and std) by which the
// network normalizes images become `mean` and `std` of the metadata; the tensors of sub_block1, on which no
// output depends, are removed. Several such pairs stay as they are.
void take_buffers(Safetensors& file);

// "no conv1.weight (nearest: conv.weight), and unknown conv.weight": at most 8 of each, then a count.
[[nodiscard]] std::string describe_mismatch(std::span<const std::string> missing,
                                            std::span<const std::string> unknown);

}  // namespace leeway::nn
