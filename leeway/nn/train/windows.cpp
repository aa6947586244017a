#include "leeway/nn/train/windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/images.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
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

}  // namespace

torch::Tensor middle_windows(const torch::Tensor& images, std::size_t side) {
  const auto [height, width] = sides_of(images, side);
  const auto begin = [side](std::size_t whole) {
    return static_cast<std::int64_t>(place_of_middle(whole, side));
  };
  const auto length = static_cast<std::int64_t>(side);
  return images.narrow(2, begin(height), length).narrow(3, begin(width), length).contiguous();
}

torch::Tensor random_windows(const torch::Tensor& images, std::size_t side, std::uint64_t seed,
                             std::uint32_t purpose, std::size_t position) {
  const auto [height, width] = sides_of(images, side);
  const torch::Tensor from = images.contiguous();
  const auto length = static_cast<std::int64_t>(side);
  torch::Tensor windows = torch::empty({images.size(0), images.size(1), length, length});
  const auto channels = static_cast<std::size_t>(images.size(1));
  const float* const pixels = from.data_ptr<float>();
  float* const out = windows.data_ptr<float>();
  parallel_for(static_cast<std::size_t>(images.size(0)), [&, height = height, width = width](std::size_t i) {
    Random random(seed, purpose, position + i);
    const std::size_t top = random.below(height - side + 1), left = random.below(width - side + 1);
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t y = 0; y < side; ++y)
        std::copy_n(pixels + ((i * channels + c) * height + top + y) * width + left, side,
                    out + ((i * channels + c) * side + y) * side);
  });
  return windows;
}

}  // namespace leeway::nn
