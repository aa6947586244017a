// The plasma map of fog: midpoint displacement (diamond-square) on a torus. Not part of the library's interface.
//
// side: a power of two. Point (0,0) is 0, step = side, amplitude a = 100. While step >= 2, with half = step / 2:
//   squares   the centre (i + half, j + half) of every square is the mean of its four corners, plus a U(-a, a);
//   rows      (i, j + half) is the mean of (i,j), (i, j + step), (i + half, j + half), (i - half, j + half), plus a U(-a, a);
//   columns   (i + half, j) is the mean of (i,j), (i + step, j), (i + half, j + half), (i + half, j - half), plus a U(-a, a);
// each for all i, then all j, indices modulo side; then step halves and a is divided by `decay`. The displacements are a times U(-a, a),
// so they fall by decay^2 an octave. At last (M - min) / (max - min), where max > min.
//
// Source: Fournier, Fussell and Carpenter, CACM 1982; the order is that of the programs of Hendrycks and Dietterich, ICLR 2019.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace leeway::shift {

// draw() gives numbers in [-1, 1]: U(-a, a) is a draw().
template <class Draw>
[[nodiscard]] std::vector<double> plasma_map(std::size_t side, double decay, Draw&& draw) {
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

}  // namespace leeway::shift
