// A picture, (c,h,w), of 8-bit levels that augmentations change in place. No LibTorch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::nn::augment {

using Levels = std::vector<std::uint8_t>;

struct Picture {
  std::span<std::uint8_t> levels;
  std::size_t channels = 1, height = 1, width = 1;

  [[nodiscard]] std::size_t area() const { return height * width; }
};

}  // namespace leeway::nn::augment
