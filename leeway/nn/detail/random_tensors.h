// Random tensors that depend on the seed, the purpose, the number of the draw and each row's number alone.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// Standard normal, float32.
[[nodiscard]] torch::Tensor normal_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                                        std::uint64_t number);

// What dropout multiplies by: 0 with that probability, else 1 / (1 - probability).
[[nodiscard]] torch::Tensor dropout_rows(torch::IntArrayRef shape, double probability, std::uint64_t seed,
                                         std::uint32_t purpose, std::uint64_t number);

}  // namespace leeway::nn
