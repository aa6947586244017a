// The mixture of AugMix. No LibTorch here.
#pragma once

#include <span>
#include <vector>

#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {

// Of level 10 t in the authors' program, or at t of torchvision's range, both with the sign of the operations that have one
// (augmix.cpp).
[[nodiscard]] double augmix_magnitude(Operation operation, double t, const Picture& picture);
[[nodiscard]] double torchvision_augmix_magnitude(Operation operation, double t, const Picture& picture);

// picture <- (1 - m) picture + m sum_i weights_i chains_i, rounded, halves to the even number; with `truncate` in float32 and
// down, as torchvision: its weights add up to a little less than 1, so that many levels lose 1.
void mix_chains(const Picture& picture, std::span<const Levels> chains, std::span<const double> weights,
                double m, bool truncate);

}  // namespace leeway::nn::augment
