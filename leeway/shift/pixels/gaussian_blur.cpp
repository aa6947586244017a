// x' = x convolved with w_j proportional to exp(-j^2 / (2 sigma^2)), |j| <= ceil(4 sigma), sum 1, along
// columns and rows; the picture is mirrored without its border pixel (dcb|abcd|cba). The cut tails hold 6e-5
// of the mass. Equals scipy.ndimage.gaussian_filter(mode="mirror") up to rounding.
#include <algorithm>
#include <cmath>

#include "leeway/shift/detail/family.h"
#include "leeway/shift/detail/filter.h"

namespace leeway::shift {
namespace {

// The pixel of a line of `size` that stands at place i - radius, for i = 0 .. size + 2 radius - 1.
std::vector<std::size_t> mirrored(std::size_t size, std::size_t radius) {
  std::vector<std::size_t> places(size + 2 * radius);
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = pixel_at(static_cast<std::ptrdiff_t>(i - radius), size, Border::mirror);
  return places;
}

struct Blur {
  std::size_t height, width;
  std::vector<double> weights;
  std::vector<std::size_t> rows, columns;  // mirrored places

  Blur(const Images& images, double sigma)
      : height(images.height()),
        width(images.width()),
        weights(gaussian_weights(sigma, static_cast<std::size_t>(std::ceil(4 * sigma)))),
        rows(mirrored(height, weights.size() / 2)),
        columns(mirrored(width, weights.size() / 2)) {}

  void operator()(std::span<float> channel) const {
    std::vector<double> turned(height * width), line(columns.size()), sum(width);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t i = 0; i < line.size(); ++i) line[i] = channel[y * width + columns[i]];
      double* const out = turned.data() + y * width;
      for (std::size_t j = 0; j < weights.size(); ++j)
        for (std::size_t x = 0; x < width; ++x) out[x] += weights[j] * line[x + j];
    }
    for (std::size_t y = 0; y < height; ++y) {
      std::fill(sum.begin(), sum.end(), 0.);
      for (std::size_t j = 0; j < weights.size(); ++j) {
        const double* const in = turned.data() + rows[y + j] * width;
        for (std::size_t x = 0; x < width; ++x) sum[x] += weights[j] * in[x];
      }
      for (std::size_t x = 0; x < width; ++x)
        channel[y * width + x] = static_cast<float>(std::clamp(sum[x], 0., 1.));
    }
  }
};

Shifted shift_by_gaussian_blur(const Images& images, const Options& options, Progress* progress) {
  if (options.strength == 0)
    return change_channels(images, "gaussian-blur", progress, [](std::span<float>) {});
  return change_channels(images, "gaussian-blur", progress, Blur(images, options.strength));
}

}  // namespace

Member gaussian_blur() {
  return {{"gaussian-blur",
           "convolution with a Gaussian, mirrored at the border",
           "common practice; scipy.ndimage.gaussian_filter in mode mirror",
           {{"strength", 1, 0, 100, "standard deviation, pixels"}}},
          0,
          shift_by_gaussian_blur};
}

}  // namespace leeway::shift
