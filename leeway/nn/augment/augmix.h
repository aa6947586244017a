// The mixture of AugMix. No LibTorch here.
#pragma once

#include <span>

#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {

// Magnitude of level 10 t in the authors' program, with a sign where it applies (augmix.cpp).
[[nodiscard]] double augmix_magnitude(Operation operation, double t, const Picture& picture);

// picture <- (1 - m) picture + m sum_i weights_i chains_i, rounded, halves to the even number.
void mix_chains(const Picture& picture, std::span<const Levels> chains, std::span<const double> weights,
                double m);

}  // namespace leeway::nn::augment
