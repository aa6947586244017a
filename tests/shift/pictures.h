// Small sets of images for the tests of shifts.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/shift/shift.h"
#include "tests/message_of.h"

namespace leeway::shift {

inline Images make_images(std::vector<std::size_t> shape, std::vector<float> pixels,
                          std::vector<std::int64_t> labels = {}) {
  if (labels.empty()) labels.assign(shape[0], 0);
  return {"set.npz", make_array(std::move(shape), std::move(pixels)), std::move(labels)};
}

// n pictures of uniform pixels, labels 0, 1, 2, 0, 1, 2, ...
inline Images random_images(std::size_t n, std::size_t channels, std::size_t height, std::size_t width) {
  std::vector<float> pixels(n * channels * height * width);
  Random random(42, stream("pictures"));
  for (float& pixel : pixels) pixel = static_cast<float>(random.uniform());
  std::vector<std::int64_t> labels(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(i % 3);
  return make_images({n, channels, height, width}, std::move(pixels), std::move(labels));
}

inline std::vector<float> floats(const Images& images) {
  std::vector<float> all(images.n() * images.pixels_per_image());
  for (std::size_t row = 0; row < images.n(); ++row)
    images.copy_row(row, std::span(all).subspan(row * images.pixels_per_image(), images.pixels_per_image()));
  return all;
}

inline Shifted apply(std::string_view name, const Images& images, double strength, std::uint64_t seed = 0,
                     std::vector<std::int64_t> classes = {}) {
  return member(name).apply(images, {strength, seed, std::move(classes)}, nullptr);
}

}  // namespace leeway::shift
