// Every pixel becomes the mean of its square of s x s pixels (from the upper left corner; smaller at the
// right and lower border). Source: Hendrycks and Dietterich, ICLR 2019, with a box filter both ways; there s
// = 1/.6 to 1/.25.
#include <algorithm>

#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

void flatten(std::span<float> channel, std::size_t height, std::size_t width, std::size_t side) {
  for (std::size_t top = 0; top < height; top += side)
    for (std::size_t left = 0; left < width; left += side) {
      const std::size_t bottom = std::min(height, top + side), right = std::min(width, left + side);
      double sum = 0;
      for (std::size_t y = top; y < bottom; ++y)
        for (std::size_t x = left; x < right; ++x) sum += channel[y * width + x];
      const auto mean = static_cast<float>(sum / static_cast<double>((bottom - top) * (right - left)));
      for (std::size_t y = top; y < bottom; ++y)
        for (std::size_t x = left; x < right; ++x) channel[y * width + x] = mean;
    }
}

Shifted shift_by_pixelation(const Images& images, const Options& options, Progress* progress) {
  const auto side = static_cast<std::size_t>(options.strength);
  return change_channels(images, "pixelation", progress, [&](std::span<float> channel) {
    flatten(channel, images.height(), images.width(), side);
  });
}

}  // namespace

Member pixelation() {
  return {{"pixelation",
           "replace squares of pixels by their mean",
           "Hendrycks and Dietterich, ICLR 2019",
           {{"strength", 2, 1, 1000, "side of a square, whole pixels; 1 = unchanged", true}}},
          1,
          shift_by_pixelation};
}

}  // namespace leeway::shift
