// Random color changes. No LibTorch here.
#pragma once

#include "leeway/core/random.h"
#include "leeway/nn/augment/picture.h"

namespace leeway::nn::augment {

// Factors uniform in [1 - part, 1 + part] and a turn of the hue uniform in [-hue, hue], in a random order.
struct Jitter {
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;
};
void change_colours(const Picture& picture, const Jitter& jitter, Random& random);

}  // namespace leeway::nn::augment
