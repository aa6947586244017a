#include "leeway/data/resize.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace leeway::data {
namespace {

// The pixels from `first` that one of the result is made of.
struct Taps {
  std::size_t first = 0;
  std::vector<double> weights;  // sum to 1
};

std::vector<Taps> taps_of(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), support = std::max(scale, 1.);
  std::vector<Taps> all(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + .5) * scale;
    Taps& taps = all[i];
    taps.first = static_cast<std::size_t>(std::max(0., std::floor(centre - support)));
    const auto end = std::min(from, static_cast<std::size_t>(std::ceil(centre + support)));
    double sum = 0;
    for (std::size_t j = taps.first; j < end; ++j) {
      const double distance = std::abs(static_cast<double>(j) + .5 - centre);
      taps.weights.push_back(std::max(0., 1 - distance / support));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights) weight /= sum;
  }
  return all;
}

void put(double value, std::uint8_t& to) {
  to = static_cast<std::uint8_t>(std::clamp(std::floor(value + .5), 0., 255.));
}

}  // namespace

void resize(std::span<const std::uint8_t> from, const std::array<std::size_t, 3>& from_shape,
            std::span<std::uint8_t> to, const std::array<std::size_t, 3>& to_shape) {
  const auto [channels, height, width] = from_shape;
  const std::size_t rows = to_shape[1], columns = to_shape[2];
  if (channels != to_shape[0] || from.size() != channels * height * width ||
      to.size() != channels * rows * columns || height * width == 0 || rows * columns == 0)
    throw std::logic_error("resize: expected shapes of the pixels given, with sides of 1 or more");
  const std::vector<Taps> across = taps_of(width, columns), down = taps_of(height, rows);
  std::vector<double> between(height * columns), line(columns);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t y = 0; y < height; ++y) {
      const auto pixels = from.subspan((c * height + y) * width, width);
      for (std::size_t x = 0; x < columns; ++x) {
        double sum = 0;
        for (std::size_t t = 0; t < across[x].weights.size(); ++t)
          sum += across[x].weights[t] * pixels[across[x].first + t];
        between[y * columns + x] = sum;
      }
    }
    for (std::size_t y = 0; y < rows; ++y) {
      std::ranges::fill(line, 0);
      for (std::size_t t = 0; t < down[y].weights.size(); ++t) {
        const double weight = down[y].weights[t];
        const auto pixels = std::span(between).subspan((down[y].first + t) * columns, columns);
        for (std::size_t x = 0; x < columns; ++x) line[x] += weight * pixels[x];
      }
      for (std::size_t x = 0; x < columns; ++x) put(line[x], to[(c * rows + y) * columns + x]);
    }
  }
}

}  // namespace leeway::data
