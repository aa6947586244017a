// Every pixel becomes the mean of its square of s x s pixels (from the upper left corner; smaller at the
// right and lower border). Source: Hendrycks and Dietterich, ICLR 2019, with a box filter both ways; there s
// = 1/.6 to 1/.25.
#include <algorithm>

#include "leeway/shift/shift.h"

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

void change_by_pixelation(const Picture& picture, const Setting& setting, Random&) {
  for (std::size_t c = 0; c < picture.channels; ++c)
    flatten(picture.plane(c), picture.height, picture.width, static_cast<std::size_t>(setting.strength));
}

}  // namespace

Member pixelation() {
  return {{"pixelation",
           "replace squares of pixels by their mean",
           benchmark_paper,
           {{"strength", 2, 1, 1000, "side of a square, whole pixels; 1 = unchanged", true}}},
          {},
          nullptr,
          change_by_pixelation};
}

}  // namespace leeway::shift
