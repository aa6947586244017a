// Pictures for the tests of corruptions, and their comparison with figures of another program
// (tests/reference/corruption_pictures.py).
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "leeway/shift/corruption.h"

namespace leeway::shift {

// Waves and squares of the picture's own, u8; corruption_pictures.py makes the same.
inline Images formula_pictures(std::size_t count = 200, std::size_t height = 32, std::size_t width = 32,
                               std::size_t channels = 3) {
  std::vector<std::uint8_t> levels;
  levels.reserve(count * channels * height * width);
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) {
          const auto number = [](std::size_t i) { return static_cast<double>(i); };
          const double turn = 2 * std::numbers::pi;
          const double wave =
              std::sin(turn * number((1 + n % 5) * x + (1 + n / 5 % 7) * y) / 32 + .7 * number(n));
          const double ripple = std::sin(turn * (number((1 + n % 3) * x) - number((1 + n % 4) * y)) / 16 +
                                         .3 * number(n) + 1.3 * number(c));
          const double square = (x / (3 + n % 6) + y / (4 + n % 5)) % 2 == 0 ? .12 : -.12;
          const double value = .5 + .22 * wave + .18 * ripple + square + .15 * std::sin(1.1 * number(n));
          levels.push_back(static_cast<std::uint8_t>(std::floor(255 * std::clamp(value, 0., 1.) + .5)));
        }
  return {"formula", make_array({count, channels, height, width}, std::move(levels)), {}};
}

struct ChangeFigures {
  double mean = 0, sd = 0;  // of x' - x
  double texture = 0;       // root mean square difference between neighbours of x'
};

inline ChangeFigures figures_of(const Images& before, const Images& after) {
  const std::size_t size = before.pixels_per_image(), height = before.height(), width = before.width();
  std::vector<float> x(size), y(size);
  double sum = 0, squares = 0, steps = 0;
  std::size_t neighbours = 0;
  const auto step = [&](std::size_t i, std::size_t j) {
    const double difference = static_cast<double>(y[i]) - y[j];
    steps += difference * difference;
    ++neighbours;
  };
  for (std::size_t row = 0; row < before.n(); ++row) {
    before.copy_row(row, x);
    after.copy_row(row, y);
    for (std::size_t i = 0; i < size; ++i) {
      const double change = static_cast<double>(y[i]) - x[i];
      sum += change;
      squares += change * change;
      if (i % width + 1 < width) step(i + 1, i);
      if (i / width % height + 1 < height) step(i + width, i);
    }
  }
  const auto n = static_cast<double>(before.n() * size);
  const double mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean), std::sqrt(steps / static_cast<double>(neighbours))};
}

// Every entry of `file`'s list "figures" on those pictures ("formula" or "cifar10"): five standard errors of the
// difference, and 1e-4 for roundings, another 5e-4 of the value for those that are the same in all pixels.
inline void expect_figures_of(const std::string& file, const Images& pictures, const std::string& label,
                              const std::shared_ptr<const FrostPictures>& frost = {}) {
  const auto reference = nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/" + file));
  std::size_t compared = 0;
  for (const auto& entry : reference.at("figures")) {
    if (entry.at("pictures") != label) continue;
    ++compared;
    CorruptionOptions options;
    options.severity = entry.at("severity");
    options.set = ConstantSet::cifar;
    options.seed = 11;
    options.frost = frost;
    const std::string name = entry.at("name");
    const ChangeFigures found = figures_of(pictures, corruption(name).apply(pictures, options, nullptr));
    const double errors = 5 * std::sqrt(1 + 1 / entry.at("runs").get<double>());
    const auto expect = [&](const char* key, double value) {
      const double expected = entry.at(key), error = entry.at(std::string(key) + "_error");
      EXPECT_NEAR(value, expected, errors * error + 1e-4 + 5e-4 * std::abs(expected))
          << fmt::format("{} of {} at severity {}", key, name, options.severity);
    };
    expect("mean", found.mean);
    expect("sd", found.sd);
    expect("texture", found.texture);
  }
  EXPECT_GT(compared, 0u) << label;
}

// The first 1,000 of CIFAR-10's test set, where they are there.
inline std::filesystem::path cifar10_file() {
  return std::filesystem::path(LEEWAY_SHARED_DATA) / "cifar10/test_lossless_first1017.npz";
}
inline Images cifar10_pictures() {
  std::vector<std::size_t> rows(1000);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return select_rows(read_images(cifar10_file().string()), rows);
}

}  // namespace leeway::shift
