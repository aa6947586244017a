// CLIP: an image tower and a text tower whose outputs of length 1 are compared (Radford et al., ICML 2021).
// Parameter names match OpenAI's weights.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

struct ClipTower {
  std::int64_t width, heads, layers;
  bool quick = true;  // x sigmoid(1.702 x) in place of GELU
  bool operator==(const ClipTower&) const = default;
};

struct ClipImagePlan {
  ClipTower tower;
  std::int64_t patch, outputs;
  std::int64_t positions =
      0;  // of the class token and all patches of a square image; 0: of the images at hand
  bool operator==(const ClipImagePlan&) const = default;
};

// The image tower, its outputs scaled to length 1 (the features), and a linear layer without bias. Images of
// another size than the positions say are resized as published: the shorter side by bicubic interpolation with
// antialiasing (a = -.5), then a center crop; values stay within [0,1] and are not rounded to 8 bit.
[[nodiscard]] Architecture clip_images(const Member& member, const ClipImagePlan& plan);

struct NamedClip : Member {
  ClipImagePlan plan;  // without positions
};
[[nodiscard]] std::span<const NamedClip> named_clips();

struct ClipTextPlan {
  ClipTower tower;
  std::int64_t outputs, tokens, context;  // tokens: of the vocabulary; the last one ends a text
};

// Token numbers (n,t), int64, t <= context, to outputs of length 1 at the first end token. What follows that
// token has no influence.
[[nodiscard]] std::shared_ptr<Network> clip_text(const ClipTextPlan& plan);

}  // namespace leeway::nn
