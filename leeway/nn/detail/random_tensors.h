// Random tensors that depend only on seed, purpose, draw number and row number.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// Standard normal, float32.
[[nodiscard]] torch::Tensor normal_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                                        std::uint64_t number);

// Dropout factors: 0 with probability `probability`, else 1 / (1 - probability).
[[nodiscard]] torch::Tensor dropout_rows(torch::IntArrayRef shape, double probability, std::uint64_t seed,
                                         std::uint32_t purpose, std::uint64_t number);

}  // namespace leeway::nn
