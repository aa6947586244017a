// A chain of augmentations as a text, "flip,randaugment:num-ops=2:magnitude=9,cutmix:alpha=1": members of the family one after
// the other, each with the parameters that are not to have their defaults. No LibTorch here.
//
// At most one member mixes images of the batch, and it is the last. Pixels first, image by image; then the batch.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/nn/augment/augmentation.h"

namespace leeway::nn::augment {

// trunc(255.999 x) of every number, cut to [0,1], and / 255.
[[nodiscard]] Levels levels_of(std::span<const float> image);
void put_levels(const Levels& levels, std::span<float> image);

class Chain {
 public:
  Chain() = default;  // changes nothing
  // Of "" a chain that changes nothing. Error, one line: a name or a parameter that there is not, a value that is no number
  // or outside its range, a parameter that stands twice, a member that mixes and is not the last.
  explicit Chain(std::string_view text);

  // With every parameter, in the family's order; equal texts, equal chains. Chain(text()) is the same chain.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool changes_pixels() const { return !pixels_.empty(); }
  [[nodiscard]] bool mixes() const { return mixing_.member != nullptr; }

  void change(const Picture& picture, Random& random) const;
  // An image (c,h,w), cut to [0,1], by way of its levels trunc(255.999 x), and back by / 255.
  void change(std::span<float> image, std::size_t channels, std::size_t height, std::size_t width,
              Random& random) const;
  // Of a chain that mixes.
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
