// The random crop of ImageNet training. No LibTorch here.
#pragma once

#include <cstddef>

#include "leeway/core/random.h"

namespace leeway::nn::augment {

struct Crop {
  std::size_t top = 0, left = 0, height = 0, width = 0;
};
// An area uniform in [scale, 1] of the picture's and an aspect whose logarithm is uniform between those of `ratio` and
// 1 / ratio, at a uniform place; where ten of them do not fit, the largest in the middle whose aspect lies between.
[[nodiscard]] Crop draw_crop(std::size_t height, std::size_t width, double scale, double ratio,
                             Random& random);

}  // namespace leeway::nn::augment
