// Pictures for tests of corruptions, and corrupted levels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/shift/shift.h"

namespace leeway::shift {

using Levels = std::vector<std::uint8_t>;
using Shape = std::vector<std::size_t>;  // n, c, h, w

inline Images level_images(Shape shape, Levels levels) {
  std::vector<std::int64_t> labels(shape[0]);
  std::iota(labels.begin(), labels.end(), 0);
  return {"set.npz", make_array(std::move(shape), std::move(levels)), std::move(labels)};
}

inline Images random_levels(Shape shape) {
  Levels levels(shape[0] * shape[1] * shape[2] * shape[3]);
  Random random(7, stream("levels"));
  for (auto& level : levels) level = static_cast<std::uint8_t>(random.below(256));
  return level_images(std::move(shape), std::move(levels));
}

inline Levels levels_of(const Images& images) {
  const auto levels = images.pixels.view<std::uint8_t>();
  return {levels.begin(), levels.end()};
}

inline Options options_of(int severity, ConstantSet set = ConstantSet::automatic,
                          Variant variant = Variant::corrected) {
  Options options;
  options.severity = severity, options.set = set, options.variant = variant;
  return options;
}

inline Levels corrupted(std::string_view name, const Images& images, const Options& options) {
  return levels_of(member(name).apply(images, options, nullptr).images);
}

// Pictures first, first + 1, ... of waves and squares, u8; tests/reference/corruption_pictures.py makes the same.
inline Images formula_pictures(const Shape& shape, std::size_t first = 0) {
  Levels levels;
  const auto number = [](std::size_t i) { return static_cast<double>(i); };
  constexpr double turn = 2 * std::numbers::pi;
  for (std::size_t n = first; n < first + shape[0]; ++n)
    for (std::size_t c = 0; c < shape[1]; ++c)
      for (std::size_t y = 0; y < shape[2]; ++y)
        for (std::size_t x = 0; x < shape[3]; ++x) {
          const double wave =
              std::sin(turn * number((1 + n % 5) * x + (1 + n / 5 % 7) * y) / 32 + .7 * number(n));
          const double ripple = std::sin(turn * (number((1 + n % 3) * x) - number((1 + n % 4) * y)) / 16 +
                                         .3 * number(n) + 1.3 * number(c));
          const double square = (x / (3 + n % 6) + y / (4 + n % 5)) % 2 == 0 ? .12 : -.12;
          const double value = .5 + .22 * wave + .18 * ripple + square + .15 * std::sin(1.1 * number(n));
          levels.push_back(static_cast<std::uint8_t>(std::floor(255 * std::clamp(value, 0., 1.) + .5)));
        }
  return level_images(shape, std::move(levels));
}

}  // namespace leeway::shift
