// Each side is shrunk to max(1, int(side fraction)) and enlarged again, both with the box filter of Pillow's
// resize on 8-bit levels: pixel j of k is the mean of the pixels of n with centers in (j n/k, (j + 1) n/k],
// first along rows, then along columns, rounded half up after each; pixel i of the enlarged line is pixel
// floor((2 i + 1) k / (2 n)).
#include <algorithm>
#include <vector>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> fractions{{
    {.95, .9, .85, .75, .65},
    {.9, .8, .7, .6, .5},
    {.6, .5, .4, .3, .25},
}};

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

// sum / count rounded half up: (2 sum + count) / (2 count) as a product with 2^16 / (2 count) rounded up, which is exact for at most 8
// levels. A bin has at most 7, of a side of 7 pixels that becomes one.
constexpr std::array<std::uint32_t, 9> inverses = [] {
  std::array<std::uint32_t, 9> all{};
  for (std::uint32_t count = 1; count < all.size(); ++count)
    all[count] = (65536 + 2 * count - 1) / (2 * count);
  return all;
}();
std::uint8_t mean_of(std::uint32_t sum, std::size_t count) {
  return static_cast<std::uint8_t>((2 * sum + static_cast<std::uint32_t>(count)) * inverses[count] >> 16);
}

// Means over the bins of a row.
void narrow_row(const std::uint8_t* row, const Bins& columns, std::uint8_t* narrow) {
  for (std::size_t j = 0; j < columns.k; ++j) {
    const std::size_t begin = columns.begin[j], count = columns.begin[j + 1] - begin;
    std::uint32_t sum = row[begin];
    for (std::size_t i = 1; i < count; ++i) sum += row[begin + i];
    narrow[j] = mean_of(sum, count);
  }
}

void change_levels_by_pixelate(const PictureLevels& picture, const Setting& setting) {
  const double fraction = setting.of(fractions);
  const std::size_t height = picture.height, width = picture.width;
  const Bins rows(height, fraction), columns(width, fraction);
  thread_local std::vector<std::uint8_t> narrow, small;
  thread_local std::vector<std::uint16_t> sums;
  narrow.resize(height * columns.k);
  small.resize(columns.k);
  sums.resize(columns.k);
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    std::uint8_t* const plane = picture.values.data() + channel * height * width;
    for (std::size_t y = 0; y < height; ++y)
      narrow_row(plane + y * width, columns, narrow.data() + y * columns.k);
    for (std::size_t y = 0; y < height; ++y) {
      std::uint8_t* const out = plane + y * width;
      const std::size_t i = rows.source[y], begin = rows.begin[i], end = rows.begin[i + 1];
      if (y > 0 && rows.source[y - 1] == i) {
        std::copy_n(out - width, width, out);
        continue;
      }
      std::fill(sums.begin(), sums.end(), 0);
      for (std::size_t row = begin; row < end; ++row)
        for (std::size_t j = 0; j < columns.k; ++j) sums[j] += narrow[row * columns.k + j];
      for (std::size_t j = 0; j < columns.k; ++j) small[j] = mean_of(sums[j], end - begin);
      for (std::size_t x = 0; x < width; ++x) out[x] = small[columns.source[x]];
    }
  }
}

}  // namespace

Member pixelate() {
  return {{"pixelate", "downscaled and upscaled with a box filter", benchmark_paper},
          "digital",
          nullptr,
          nullptr,
          change_levels_by_pixelate};
}

}  // namespace leeway::shift
