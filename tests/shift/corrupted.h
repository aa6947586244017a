// Corrupted levels for tests, and pictures of levels.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/shift/corruption.h"

namespace leeway::shift {

using Levels = std::vector<std::uint8_t>;
using Shape = std::vector<std::size_t>;  // n, c, h, w

inline Images level_images(Shape shape, Levels levels) {
  return {"set.npz", make_array(std::move(shape), std::move(levels)), {}};
}

inline Images flat_images(Shape shape, std::uint8_t level) {
  const std::size_t size = shape[0] * shape[1] * shape[2] * shape[3];
  return level_images(std::move(shape), Levels(size, level));
}

inline Images random_levels(Shape shape) {
  Levels levels(shape[0] * shape[1] * shape[2] * shape[3]);
  Random random(7, stream("levels"));
  for (auto& level : levels) level = static_cast<std::uint8_t>(random.below(256));
  return level_images(std::move(shape), std::move(levels));
}

inline Levels levels_of(const Images& images) {
  const std::size_t size = images.pixels_per_image();
  Levels levels(images.n() * size);
  std::vector<float> row(size);
  for (std::size_t i = 0; i < images.n(); ++i) {
    images.copy_row(i, row);
    for (std::size_t p = 0; p < size; ++p)
      levels[i * size + p] = static_cast<std::uint8_t>(std::lround(row[p] * 255));
  }
  return levels;
}

inline CorruptionOptions options_of(int severity, ConstantSet set = ConstantSet::automatic) {
  CorruptionOptions options;
  options.severity = severity;
  options.set = set;
  return options;
}

inline Levels corrupted(std::string_view name, const Images& images, const CorruptionOptions& options) {
  return levels_of(corruption(name).apply(images, options, nullptr));
}

// What [0,1] becomes: clipped, rounded half up, also where double is a little below the half.
inline std::uint8_t level(double value) {
  return static_cast<std::uint8_t>(std::floor(255 * std::min(std::max(value, 0.), 1.) + .5 + 1e-9));
}

// Within a level everywhere, and the same but for `share` of them and one.
inline void expect_levels(const Levels& found, const Levels& expected, double share) {
  ASSERT_EQ(found.size(), expected.size());
  std::size_t others = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_LE(std::abs(found[i] - expected[i]), 1) << "pixel " << i;
    others += found[i] != expected[i];
  }
  EXPECT_LE(static_cast<double>(others), 1 + share * static_cast<double>(found.size()));
}

}  // namespace leeway::shift
