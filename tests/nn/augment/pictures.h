#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "leeway/nn/augment/chain.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {

using Shape = std::array<std::size_t, 3>;  // (c,h,w)

inline Operation operation(std::string_view name) {
  constexpr std::string_view names[] = {
      "identity",     "shear-x",  "shear-y",  "translate-x", "translate-y", "rotate",
      "brightness",   "color",    "contrast", "sharpness",   "posterize",   "solarize",
      "autocontrast", "equalize", "invert",   "hue",         "gray"};  // in order
  return static_cast<Operation>(std::ranges::find(names, name) - std::begin(names));
}

// As tests/reference/augment.py.
inline Levels picture_of(const Shape& shape, bool narrow = false) {
  Levels levels(shape[0] * shape[1] * shape[2]);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::size_t v = (7 * i * i + 13 * i) % 256;
    levels[i] = static_cast<std::uint8_t>(narrow ? 251 - v % 40 : v);
  }
  return levels;
}

inline Levels after(Operation operation, Levels levels, double magnitude, const Shape& shape,
                    Sampling sampling = Sampling::nearest) {
  apply(operation, {levels, shape[0], shape[1], shape[2]}, magnitude, sampling);
  return levels;
}

inline Levels after(std::string_view name, Levels levels, double magnitude, const Shape& shape,
                    Sampling sampling = Sampling::nearest) {
  return after(operation(name), std::move(levels), magnitude, shape, sampling);
}

inline Levels after(const Chain& chain, Levels levels, const Shape& shape, std::uint64_t draw,
                    std::uint64_t seed = 5) {
  Random random(seed, stream("augment test"), draw);
  chain.change({levels, shape[0], shape[1], shape[2]}, random);
  return levels;
}

}  // namespace leeway::nn::augment
