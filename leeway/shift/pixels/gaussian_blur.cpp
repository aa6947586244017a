// x' = x convolved with w_j proportional to exp(-j^2 / (2 sigma^2)), |j| <= ceil(4 sigma), sum 1, along
// columns and rows; the picture is mirrored without its border pixel (dcb|abcd|cba). The cut tails hold 6e-5
// of the mass. Equals scipy.ndimage.gaussian_filter(mode="mirror") up to rounding.
#include <algorithm>
#include <cmath>

#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

// w_0 in the middle
std::vector<double> kernel(double sigma) {
  const auto radius = static_cast<std::size_t>(std::ceil(4 * sigma));
  std::vector<double> weights(2 * radius + 1);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // divided before squared: sigma^2 of a tiny sigma is 0
    const double distance = (static_cast<double>(i) - static_cast<double>(radius)) / sigma;
    sum += weights[i] = std::exp(-distance * distance / 2);
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The pixel of a line of `size` that stands at place i - radius, for i = 0 .. size + 2 radius - 1.
std::vector<std::size_t> mirrored(std::size_t size, std::size_t radius) {
  std::vector<std::size_t> places(size + 2 * radius, 0);
  if (size == 1) return places;
  const std::size_t period = 2 * (size - 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t turn = (i + period - radius % period) % period;
    places[i] = std::min(turn, period - turn);
  }
  return places;
}

struct Blur {
  std::size_t height, width;
  std::vector<double> weights;
  std::vector<std::size_t> rows, columns;  // mirrored places

  Blur(const Images& images, double sigma)
      : height(images.height()),
        width(images.width()),
        weights(kernel(sigma)),
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
  const auto leave = [](std::size_t, std::span<float>) {};
  if (options.strength == 0) return change_pictures(images, "gaussian-blur", progress, leave);
  const Blur blur(images, options.strength);
  const std::size_t area = images.height() * images.width();
  return change_pictures(images, "gaussian-blur", progress, [&](std::size_t, std::span<float> picture) {
    for (std::size_t start = 0; start < picture.size(); start += area) blur(picture.subspan(start, area));
  });
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
