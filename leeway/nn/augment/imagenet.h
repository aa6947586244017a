// The random crop of ImageNet training. No LibTorch here.
#pragma once

#include <cstddef>

#include "leeway/core/random.h"

namespace leeway::nn::augment {

struct Crop {
  std::size_t top = 0, left = 0, height = 0, width = 0;
};
// Area uniform in [scale, 1] of the picture's, log aspect uniform up to +-log ratio, position uniform. After
// ten misfits: the largest central crop with an aspect in range.
[[nodiscard]] Crop draw_crop(std::size_t height, std::size_t width, double scale, double ratio,
                             Random& random);

}  // namespace leeway::nn::augment
