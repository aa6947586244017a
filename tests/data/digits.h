// Digits made up for tests: rings and slanted bars of 28 x 28, as tests/reference/diagvib.py draws them, and IDX files of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "leeway/io/images.h"

namespace leeway {

using Digit = std::array<std::uint8_t, std::size_t{28} * 28>;

template <class Value>
Digit digit_of(const Value& value) {
  Digit digit{};
  for (std::size_t i = 0; i < digit.size(); ++i)
    digit[i] = static_cast<std::uint8_t>(
        std::clamp(std::floor(value(static_cast<double>(i / 28), static_cast<double>(i % 28))), 0., 255.));
  return digit;
}

inline Digit ring(double radius = 7.5) {
  return digit_of([=](double y, double x) {
    return 255 * (2.6 - std::abs(std::hypot(1.3 * (x - 13), y - 14) - radius)) / 1.6;
  });
}

inline Digit bar(double slant = .5) {
  return digit_of([=](double y, double x) {
    return std::abs(y - 12) < 9 ? 255 * (2.2 - std::abs(.9 * (x - 14) + slant * (y - 12))) / 1.5 : 0;
  });
}

// n pictures; picture i has label i mod classes, a ring where that is even, else a bar, each a little different.
inline Images made_up_digits(std::size_t n, std::size_t classes) {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t label = i % classes;
    const double part = static_cast<double>(i) / static_cast<double>(n);
    const Digit digit = label % 2 == 0 ? ring(5 + 4 * part) : bar(.1 + .7 * part);
    pixels.insert(pixels.end(), digit.begin(), digit.end());
    labels.push_back(static_cast<std::int64_t>(label));
  }
  return {"digits", make_array(std::vector<std::size_t>{n, 1, 28, 28}, std::move(pixels)), labels};
}

// FOLDER/PREFIX-images-idx3-ubyte and its labels; returns the first.
inline std::string write_idx_digits(const std::filesystem::path& folder, const std::string& prefix,
                                    const Images& digits) {
  const auto write = [&](const std::string& name, const std::vector<std::size_t>& shape, const auto& values) {
    std::ofstream file(folder / (prefix + name), std::ios::binary);
    file << '\0' << '\0' << '\x08' << static_cast<char>(shape.size());
    for (const std::size_t size : shape)
      for (int shift = 24; shift >= 0; shift -= 8) file << static_cast<char>(size >> shift & 255);
    for (const auto value : values) file << static_cast<char>(value);
  };
  write("-images-idx3-ubyte", {digits.n(), digits.height(), digits.width()},
        digits.pixels.view<std::uint8_t>());
  write("-labels-idx1-ubyte", {digits.n()}, *digits.labels);
  return (folder / (prefix + "-images-idx3-ubyte")).string();
}

}  // namespace leeway
