// Augmented versions ("views") of images, for algorithms that learn from them. No LibTorch here.
//
//   weak    mirrored left to right with probability 1/2; moved by up to an eighth of the side in each direction, zeros behind it
//   strong  the same, then two of 14 operations drawn with replacement (as RandAugment's, each with a magnitude of its own),
//           then a grey square of a side up to half the picture's
//
// Source: Sohn et al., NeurIPS 2020, sections 2.3 and 2.4; operations, ranges and the square as Garg et al., ICML 2023
// (RLSbench), but that "strong" moves pictures as "weak" does. Operations are torchvision's on 8-bit levels (identity,
// autocontrast, equalize, rotate, solarize, color, posterize, contrast, brightness, sharpness, two shears, two translations;
// nearest pixel, zeros outside). A view is a function of the image and the random numbers alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "leeway/core/random.h"

namespace leeway::nn {

// A picture of 8-bit levels, (c,h,w).
struct Picture {
  std::span<std::uint8_t> levels;
  std::size_t channels, height, width;
};

// Changes the picture in place. Error that lists the names there are.
void make_view(std::string_view name, const Picture& picture, Random& random);

// One operation by name, for tests: "rotate" with degrees, "solarize" with a level, "posterize" with bits, "shear-x", "translate-x"
// with a share of the width, "color", "contrast", "brightness", "sharpness" with a factor.
void apply_operation(std::string_view name, const Picture& picture, double magnitude);

}  // namespace leeway::nn
