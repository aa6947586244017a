// A picture, (c,h,w), that augmentations change in place: of 8-bit levels, or of numbers in [0,1]. No LibTorch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::nn::augment {

using Levels = std::vector<std::uint8_t>;

template <class Level>
struct PictureOf {
  std::span<Level> levels;
  std::size_t channels = 1, height = 1, width = 1;

  [[nodiscard]] std::size_t area() const { return height * width; }
};
using Picture = PictureOf<std::uint8_t>;
using FloatPicture = PictureOf<float>;

}  // namespace leeway::nn::augment
