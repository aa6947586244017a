// Each side is shrunk to max(1, int(side fraction)) and enlarged again, both with a box filter on 8-bit levels: pixel j of k is the
// mean of those of the n pixels whose centres lie in (j n/k, (j + 1) n/k], first along rows, then along columns, rounded half up
// after each; pixel i of the enlarged line is pixel floor((2 i + 1) k / (2 n)) of the small one.
//
// Source: Hendrycks and Dietterich, ICLR 2019; constants of the authors' programs; the box filter is that of Pillow's resize.
#include <algorithm>
#include <vector>

#include "leeway/shift/corruption.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> fractions{{
    {.95, .9, .85, .75, .65},
    {.9, .8, .7, .6, .5},
    {.6, .5, .4, .3, .25},
}};

constexpr float half = .5f;

// A side of n pixels and of k, both ways.
struct Bins {
  std::size_t k;
  std::vector<std::size_t> begin;   // of each small pixel, its first pixel; then n
  std::vector<std::size_t> source;  // of each pixel of the enlarged side, its small pixel

  Bins(std::size_t n, double fraction)
      : k(std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(n) * fraction))) {
    // The first pixel whose centre lies beyond j n / k: (2 i + 1) k > 2 n j.
    for (std::size_t j = 0; j <= k; ++j) begin.push_back((2 * n * j / k + 1) / 2);
    for (std::size_t i = 0; i < n; ++i) source.push_back((2 * i + 1) * k / (2 * n));
  }
};

std::uint32_t mean_of(std::uint32_t sum, std::size_t count) {
  const auto many = static_cast<std::uint32_t>(count);
  return (2 * sum + many) / (2 * many);
}

void change(const CorruptedPicture& picture, const CorruptionSetting& setting, Random&) {
  const double fraction = setting.of(fractions);
  const Bins rows(picture.height, fraction), columns(picture.width, fraction);
  thread_local std::vector<std::uint32_t> levels, narrow, small;
  levels.resize(picture.width);
  narrow.resize(picture.height * columns.k);
  small.resize(rows.k * columns.k);
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    const auto plane = picture.plane(channel);
    for (std::size_t y = 0; y < picture.height; ++y) {
      for (std::size_t x = 0; x < picture.width; ++x)
        levels[x] =
            static_cast<std::uint32_t>(std::clamp(plane[y * picture.width + x], 0.f, 1.f) * 255 + half);
      for (std::size_t j = 0; j < columns.k; ++j) {
        const std::size_t begin = columns.begin[j], end = columns.begin[j + 1];
        std::uint32_t sum = 0;
        for (std::size_t x = begin; x < end; ++x) sum += levels[x];
        narrow[y * columns.k + j] = mean_of(sum, end - begin);
      }
    }
    for (std::size_t i = 0; i < rows.k; ++i) {
      const std::size_t begin = rows.begin[i], end = rows.begin[i + 1];
      for (std::size_t j = 0; j < columns.k; ++j) {
        std::uint32_t sum = 0;
        for (std::size_t y = begin; y < end; ++y) sum += narrow[y * columns.k + j];
        small[i * columns.k + j] = mean_of(sum, end - begin);
      }
    }
    for (std::size_t y = 0; y < picture.height; ++y) {
      const std::uint32_t* const line = small.data() + rows.source[y] * columns.k;
      float* const out = plane.data() + y * picture.width;
      for (std::size_t x = 0; x < picture.width; ++x)
        out[x] = static_cast<float>(line[columns.source[x]]) / 255;
    }
  }
}

}  // namespace

Corruption corrupt_pixelate() {
  return {{"pixelate", "shrunk and enlarged with a box filter", "Hendrycks and Dietterich, ICLR 2019"},
          CorruptionGroup::digital,
          change};
}

}  // namespace leeway::shift
