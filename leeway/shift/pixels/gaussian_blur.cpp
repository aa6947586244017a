// x' = x convolved with w_j proportional to exp(-j^2 / (2 sigma^2)), sum 1, along columns and rows.
//
// By a strength: |j| <= ceil(4 sigma), in float64, and the picture is mirrored without its border pixel
// (dcb|abcd|cba). The cut tails hold 6e-5 of the mass. Equals scipy.ndimage.gaussian_filter(mode="mirror") up
// to rounding. By a severity: cut at 4 sigma, in float32, pixels at the border repeated.
#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/shift/detail/filter.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> gaussian_blur_sigmas{{
    {.4, .6, .7, .8, 1},
    {.5, .75, 1, 1.25, 1.5},
    {1, 2, 3, 4, 6},
}};

void blur_mirrored(const Picture& picture, const Setting& setting, Random&) {
  if (setting.strength == 0) return;
  const auto radius = static_cast<std::size_t>(std::ceil(4 * setting.strength));
  const std::size_t height = picture.height, width = picture.width;
  const std::vector<double> weights = gaussian_weights(setting.strength, radius);
  std::vector<std::size_t> rows, columns;
  extend(height, radius, radius, Border::mirror, rows);
  extend(width, radius, radius, Border::mirror, columns);
  std::vector<double> turned(picture.area()), line(columns.size()), sum(width);
  for (std::size_t c = 0; c < picture.channels; ++c) {
    const std::span<float> plane = picture.plane(c);
    std::ranges::fill(turned, 0.);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t i = 0; i < line.size(); ++i) line[i] = plane[y * width + columns[i]];
      double* const out = turned.data() + y * width;
      for (std::size_t j = 0; j < weights.size(); ++j)
        for (std::size_t x = 0; x < width; ++x) out[x] += weights[j] * line[x + j];
    }
    for (std::size_t y = 0; y < height; ++y) {
      std::ranges::fill(sum, 0.);
      for (std::size_t j = 0; j < weights.size(); ++j) {
        const double* const in = turned.data() + rows[y + j] * width;
        for (std::size_t x = 0; x < width; ++x) sum[x] += weights[j] * in[x];
      }
      for (std::size_t x = 0; x < width; ++x)
        plane[y * width + x] = static_cast<float>(std::clamp(sum[x], 0., 1.));
    }
  }
}

void change_by_gaussian_blur(const Picture& picture, const Setting& setting, Random&) {
  const double sigma = setting.of(gaussian_blur_sigmas) * setting.scale.lengths;
  for (std::size_t c = 0; c < picture.channels; ++c)
    gaussian_filter(picture.plane(c), picture.height, picture.width, sigma);
}

}  // namespace

Member gaussian_blur() {
  return {{"gaussian-blur",
           "convolution with a Gaussian",
           benchmark_paper,
           {{"strength", 1, 0, 100, "standard deviation, pixels"}}},
          "extra",
          change_by_gaussian_blur,
          blur_mirrored};
}

}  // namespace leeway::shift
