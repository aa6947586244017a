// x' = (x + weight P) m / (m + weight), m the largest value of the picture and P a plasma map in [0,1] for
// all channels: the upper left part of the smallest map whose side is a power of two (at least 2) and covers
// the picture.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct FogConstants {
  double weight = 0, decay = 0;
};

constexpr std::array<std::array<FogConstants, 5>, 3> fog_constants{{
    {{{.2, 3}, {.5, 3}, {.75, 2.5}, {1, 2}, {1.5, 1.75}}},
    {{{.4, 3}, {.7, 3}, {1, 2.5}, {1.5, 2}, {2, 1.75}}},
    {{{1.5, 2}, {2, 2}, {2.5, 1.7}, {2.5, 1.5}, {3, 1.4}}},
}};

// The plasma map: midpoint displacement (diamond-square) on a torus.
//
// side: a power of two. Point (0,0) is 0, step = side, amplitude a = 100. While step >= 2, with half = step / 2:
//   squares   the centre (i + half, j + half) of every square is the mean of its four corners, plus a U(-a, a);
//   rows      (i, j + half) is the mean of (i,j), (i, j + step), (i + half, j + half), (i - half, j + half), plus a U(-a, a);
//   columns   (i + half, j) is the mean of (i,j), (i + step, j), (i + half, j + half), (i + half, j - half), plus a U(-a, a);
// each for all i, then all j, indices modulo side; then step halves and a is divided by `decay`. The displacements are a times U(-a, a),
// so they fall by decay^2 an octave. At last (M - min) / (max - min), where max > min.
//
// Source: Fournier, Fussell and Carpenter, CACM 1982; the order is that of the programs of Hendrycks and Dietterich, ICLR 2019.
std::vector<double> plasma_map(std::size_t side, double decay, Random& random) {
  const auto draw = [&] { return 2 * random.uniform() - 1; };
  std::vector<double> map(side * side, 0);
  const std::size_t last = side - 1;
  const auto at = [&](std::size_t i, std::size_t j) -> double& {
    return map[(i & last) * side + (j & last)];
  };
  double amplitude = 100;
  for (std::size_t step = side; step >= 2; step /= 2, amplitude /= decay) {
    const std::size_t half = step / 2;
    const double power = amplitude * amplitude;
    for (std::size_t i = 0; i < side; i += step)
      for (std::size_t j = 0; j < side; j += step)
        at(i + half, j + half) =
            (at(i, j) + at(i + step, j) + at(i, j + step) + at(i + step, j + step)) / 4 + power * draw();
    for (std::size_t i = 0; i < side; i += step)
      for (std::size_t j = 0; j < side; j += step)
        at(i, j + half) =
            (at(i, j) + at(i, j + step) + at(i + half, j + half) + at(i + side - half, j + half)) / 4 +
            power * draw();
    for (std::size_t i = 0; i < side; i += step)
      for (std::size_t j = 0; j < side; j += step)
        at(i + half, j) =
            (at(i, j) + at(i + step, j) + at(i + half, j + half) + at(i + half, j + side - half)) / 4 +
            power * draw();
  }
  const auto [low, high] = std::minmax_element(map.begin(), map.end());
  const double least = *low, range = *high - least;
  if (range > 0)
    for (double& value : map) value = (value - least) / range;
  return map;
}

void change_by_fog(const Picture& picture, const Setting& setting, Random& random) {
  const FogConstants& c = setting.of(fog_constants);
  constexpr std::size_t longest = 8192;  // its map has 0.5 GB
  if (std::max(picture.height, picture.width) > longest)
    refuse("corruption fog", fmt::format("sides of at most {} pixels", longest),
           fmt::format("{} x {}", picture.height, picture.width));
  const std::size_t side = std::bit_ceil(std::max({picture.height, picture.width, std::size_t{2}}));
  const std::vector<double> plasma = plasma_map(side, c.decay, random);
  const double most = *std::max_element(picture.values.begin(), picture.values.end());
  const double factor = most / (most + c.weight);
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    const auto plane = picture.plane(channel);
    for (std::size_t y = 0; y < picture.height; ++y)
      for (std::size_t x = 0; x < picture.width; ++x) {
        float& value = plane[y * picture.width + x];
        value = static_cast<float>((value + c.weight * plasma[y * side + x]) * factor);
      }
  }
}

}  // namespace

Member fog() {
  return {{"fog", "a plasma fractal laid over the image", benchmark_paper}, "weather", change_by_fog};
}

}  // namespace leeway::shift
