#include "leeway/data/resize.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace leeway::data {
namespace {

constexpr int weight_bits = 22;

// The pixels from `first` that one of the result is made of.
struct Taps {
  std::size_t first = 0;
  std::vector<std::int32_t> weights;  // sum to about 2^weight_bits
};

double weight_at(double t, Interpolation interpolation) {
  t = std::abs(t);
  if (interpolation == Interpolation::bilinear) return std::max(0., 1 - t);
  constexpr double a = -.5;
  if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? (((t - 5) * t + 8) * t - 4) * a : 0;
}

Taps taps_at(std::size_t i, std::size_t from, double scale, Interpolation interpolation) {
  const double radius = std::max(scale, 1.), inverse = 1 / radius,
               support = radius * (interpolation == Interpolation::bilinear ? 1 : 2),
               center = (static_cast<double>(i) + .5) * scale;
  const auto first = static_cast<std::size_t>(std::max(0., center - support + .5)),
             end = std::min(from, static_cast<std::size_t>(std::floor(center + support + .5)));
  std::vector<double> weights(end - first);
  double sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j)
    sum += weights[j] = weight_at((static_cast<double>(j + first) - center + .5) * inverse, interpolation);
  Taps taps{first, {}};
  for (const double weight : weights)
    taps.weights.push_back(
        static_cast<std::int32_t>(weight / sum * (1 << weight_bits) + (weight < 0 ? -.5 : .5)));
  return taps;
}

// Of the results [begin, begin + count) of n.
std::vector<Taps> taps_of(std::size_t from, std::size_t n, std::size_t begin, std::size_t count,
                          Interpolation interpolation) {
  const double scale = static_cast<double>(from) / static_cast<double>(n);
  std::vector<Taps> all(count);
  if (interpolation == Interpolation::nearest || from == n) {
    double center = scale * .5;  // summed, as Pillow does
    for (std::size_t i = 0; i < begin + count; ++i, center += scale)
      if (i >= begin)
        all[i - begin] = {std::min(from - 1, static_cast<std::size_t>(center)), {1 << weight_bits}};
    return all;
  }
  for (std::size_t i = 0; i < count; ++i) all[i] = taps_at(begin + i, from, scale, interpolation);
  return all;
}

std::uint8_t level(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> weight_bits, 0, 255));
}

constexpr std::int32_t half = 1 << (weight_bits - 1);

}  // namespace

void resize(std::span<const std::uint8_t> from, const std::array<std::size_t, 3>& from_shape,
            std::span<std::uint8_t> to, const std::array<std::size_t, 3>& to_shape, const Window& of,
            Interpolation interpolation) {
  const auto [channels, height, width] = from_shape;
  const std::size_t rows = to_shape[1], columns = to_shape[2];
  if (channels != to_shape[0] || from.size() != channels * height * width ||
      to.size() != channels * rows * columns || height * width == 0 || rows * columns == 0 ||
      of.top + rows > of.height || of.left + columns > of.width)
    throw std::logic_error("resize: expected shapes of the pixels given, with sides of 1 or more");
  const std::vector<Taps> across = taps_of(width, of.width, of.left, columns, interpolation),
                          down = taps_of(height, of.height, of.top, rows, interpolation);
  const std::size_t top = down.front().first, end = down.back().first + down.back().weights.size();
  std::vector<std::uint8_t> between((end - top) * columns);
  std::vector<std::int32_t> line(columns);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t y = top; y < end; ++y) {
      const std::uint8_t* const pixels = &from[(c * height + y) * width];
      for (std::size_t x = 0; x < columns; ++x) {
        std::int32_t sum = half;
        for (std::size_t t = 0; t < across[x].weights.size(); ++t)
          sum += across[x].weights[t] * pixels[across[x].first + t];
        between[(y - top) * columns + x] = level(sum);
      }
    }
    for (std::size_t y = 0; y < rows; ++y) {
      std::ranges::fill(line, half);
      for (std::size_t t = 0; t < down[y].weights.size(); ++t) {
        const std::int32_t weight = down[y].weights[t];
        const std::uint8_t* const pixels = &between[(down[y].first - top + t) * columns];
        for (std::size_t x = 0; x < columns; ++x) line[x] += weight * pixels[x];
      }
      std::ranges::transform(line, to.begin() + static_cast<std::ptrdiff_t>((c * rows + y) * columns), level);
    }
  }
}

}  // namespace leeway::data
