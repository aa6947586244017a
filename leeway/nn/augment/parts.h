// Parts of augmentations that other members and tests use. No LibTorch here.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "leeway/core/random.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {

// augmix: the magnitude of level 10 t in the authors' program, with a sign where it applies.
[[nodiscard]] double augmix_magnitude(Operation operation, double t, const Picture& picture);
// picture <- (1 - m) picture + m sum_i weights_i chains_i, rounded, halves to the even number.
void mix_chains(const Picture& picture, std::span<const Levels> chains, std::span<const double> weights,
                double m);

// autoaugment: two operations in order, each with its probability and its level of 0 to 9 (0 where it has none).
struct PolicyStep {
  Operation operation = Operation::identity;
  double probability = 0;
  int level = 0;
};
using SubPolicy = std::array<PolicyStep, 2>;
using Policy = std::array<SubPolicy, 25>;
extern const Policy imagenet_policy, cifar10_policy;

// jitter: factors uniform in [1 - part, 1 + part] and a turn of the hue uniform in [-hue, hue], in a random order.
struct Jitter {
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;
};
void change_colours(const Picture& picture, const Jitter& jitter, Random& random);

// imagenet: area uniform in [scale, 1] of the picture's, log aspect uniform up to +-log ratio, position uniform. After
// ten misfits: the largest central crop with an aspect in range.
struct Crop {
  std::size_t top = 0, left = 0, height = 0, width = 0;
};
[[nodiscard]] Crop draw_crop(std::size_t height, std::size_t width, double scale, double ratio,
                             Random& random);

}  // namespace leeway::nn::augment
