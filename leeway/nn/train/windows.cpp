#include "leeway/nn/train/windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/images.h"
#include "leeway/core/message.h"
#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

struct Sides {
  std::size_t height, width;
};

Sides sides_of(const torch::Tensor& images, std::size_t side) {
  const Sides sides{static_cast<std::size_t>(images.size(2)), static_cast<std::size_t>(images.size(3))};
  const std::size_t most = std::min(sides.height, sides.width);
  if (side == 0 || side > most)
    refuse("windows", fmt::format("1 to {} pixels", most), fmt::format("{}", side));
  return sides;
}

torch::Tensor window(const torch::Tensor& images, std::size_t side, std::size_t top, std::size_t left) {
  const auto begin = [](std::size_t at) { return static_cast<std::int64_t>(at); };
  return images.slice(-2, begin(top), begin(top + side)).slice(-1, begin(left), begin(left + side));
}

}  // namespace

torch::Tensor middle_windows(const torch::Tensor& images, std::size_t side) {
  const auto [height, width] = sides_of(images, side);
  return window(images, side, place_of_middle(height, side), place_of_middle(width, side)).contiguous();
}

torch::Tensor random_windows(const torch::Tensor& images, std::size_t side, std::uint64_t seed,
                             std::uint32_t purpose, std::size_t position) {
  const auto [height, width] = sides_of(images, side);
  const auto length = static_cast<std::int64_t>(side);
  torch::Tensor windows = torch::empty({images.size(0), images.size(1), length, length}, images.options());
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    Random random(seed, purpose, position + static_cast<std::size_t>(i));
    const std::size_t top = random.below(height - side + 1), left = random.below(width - side + 1);
    windows[i].copy_(window(images[i], side, top, left));
  }
  return windows;
}

}  // namespace leeway::nn
