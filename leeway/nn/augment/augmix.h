// The mixture of AugMix. No LibTorch here.
#pragma once

#include <span>
#include <vector>

#include "leeway/nn/augment/picture.h"

namespace leeway::nn::augment {

// picture <- (1 - m) picture + m sum_i weights_i chains_i, rounded, halves to the even number; with `truncate` in float32 and
// down, as torchvision: its weights add up to a little less than 1, so that many levels lose 1.
void mix_chains(const Picture& picture, std::span<const Levels> chains, std::span<const double> weights,
                double m, bool truncate);

}  // namespace leeway::nn::augment
