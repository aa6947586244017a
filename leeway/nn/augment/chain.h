// A chain of augmentations as text: "flip,randaugment:num-ops=2:magnitude=9,cutmix:alpha=1". Other parameters
// have their defaults. At most one member mixes images; it is the last. No LibTorch here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/nn/augment/augmentation.h"

namespace leeway::nn::augment {

class Chain {
 public:
  Chain() = default;  // changes nothing
  // "": no change. Error: unknown names, invalid or repeated parameters, a mixing member before the end.
  explicit Chain(std::string_view text);

  // With all parameters, in the family's order: equal texts mean equal chains. Chain() reads it.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool changes_pixels() const { return !pixels_.empty(); }
  [[nodiscard]] bool mixes() const { return mixing_.member != nullptr; }

  void change(const Picture& picture, Random& random) const;
  // An image (c,h,w), clamped to [0,1], as levels trunc(255.999 x), then divided by 255.
  void change(std::span<float> image, std::size_t channels, std::size_t height, std::size_t width,
              Random& random) const;
  // For a chain that mixes.
  [[nodiscard]] Mix plan(std::size_t rows, std::size_t height, std::size_t width, Random& random) const;

 private:
  struct Link {
    const Augmentation* member = nullptr;
    Parameters parameters = {};
  };
  std::vector<Link> pixels_;
  Link mixing_;
};

}  // namespace leeway::nn::augment
