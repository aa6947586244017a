// Windows of images, side x side pixels, as TrainingOptions::crop asks for them.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// Of images (n,c,h,w) the middle (place_of_middle in core/images.h). Error where they are smaller, here and below.
[[nodiscard]] torch::Tensor middle_windows(const torch::Tensor& images, std::size_t side);
// At uniform places, keyed by seed, purpose and position + the image's number. Of float32 on the CPU.
[[nodiscard]] torch::Tensor random_windows(const torch::Tensor& images, std::size_t side, std::uint64_t seed,
                                           std::uint32_t purpose, std::size_t position);

}  // namespace leeway::nn
