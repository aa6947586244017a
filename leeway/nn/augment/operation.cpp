#include "leeway/nn/augment/operation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace leeway::nn::augment {
namespace {

constexpr double rounding = 1e-9;  // more than double arithmetic is off, less than anyone means

std::uint8_t level_of(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + rounding, 0., 255.));
}
// std::nearbyint of a number below 2^51: what is added has no place for a fraction.
double whole_next(double value) { return (value + 0x1.8p52) - 0x1.8p52; }
// Rounded, halves to the even number; a half but for rounding is a half.
double nearest_of(double value) { return whole_next(whole_next(value * 0x1p26) * 0x1p-26); }
// std::floor of a number that fits.
int floor_of(double value) {
  const int whole = static_cast<int>(value);
  return whole - (whole > value ? 1 : 0);
}
double whole_of(double value) { return std::trunc(value + std::copysign(rounding, value)); }

// Where the pixels of a resampled picture come from: both coordinates move, or one alone, the other being whole.
enum class Moved { both, x, y };

// Every pixel from the one next to from(x, y); beyond the border pixels are 0.
template <class From>
void resample_nearest(const Picture& picture, const From& from) {
  const Levels copy(picture.levels.begin(), picture.levels.end());
  const auto w = static_cast<std::ptrdiff_t>(picture.width), h = static_cast<std::ptrdiff_t>(picture.height),
             area = w * h, channels = static_cast<std::ptrdiff_t>(picture.channels);
  // by value: a store of a byte may be a store to anything that is read by reference
  const std::uint8_t* const before = copy.data();
  std::uint8_t* const after = picture.levels.data();
  std::ptrdiff_t to = 0;
  for (std::ptrdiff_t y = 0; y < h; ++y)
    for (std::ptrdiff_t x = 0; x < w; ++x, ++to) {
      const auto [from_x, from_y] = from(static_cast<double>(x), static_cast<double>(y));
      const auto i = static_cast<std::ptrdiff_t>(nearest_of(from_x)),
                 j = static_cast<std::ptrdiff_t>(nearest_of(from_y));
      const bool inside = j >= 0 && j < h && i >= 0 && i < w;
      for (std::ptrdiff_t c = 0; c < channels; ++c)
        after[c * area + to] = inside ? before[c * area + j * w + i] : std::uint8_t{0};
    }
}

// Bilinear sampling at from(x, y); whole coordinates use two pixels. A margin of two zeros replaces checks.
template <Moved moved, class From>
void resample_bilinear(const Picture& picture, const From& from) {
  constexpr int margin = 2;
  const int w = static_cast<int>(picture.width), h = static_cast<int>(picture.height), wide = w + 2 * margin,
            area = wide * (h + 2 * margin);
  const std::size_t channels = picture.channels;
  Levels padded(channels * static_cast<std::size_t>(area));
  for (std::size_t row = 0; row < channels * picture.height; ++row)
    std::copy_n(picture.levels.data() + row * picture.width, w,
                padded.data() + row / picture.height * static_cast<std::size_t>(area) +
                    (row % picture.height + margin) * static_cast<std::size_t>(wide) + margin);
  // Rows of numbers, so that loops over them are vectors: a store of a byte may be a store to anything.
  const std::size_t n = picture.width;
  std::vector<int> places(n), corners(4 * n), levels(n);
  std::vector<double> rights(n), bottoms(n);
  int* const place = places.data();
  double *const right = rights.data(), *const bottom = bottoms.data();
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const auto [from_x, from_y] = from(static_cast<double>(x), static_cast<double>(y));
      const int i = floor_of(from_x), j = floor_of(from_y);
      right[x] = from_x - i, bottom[x] = from_y - j;
      place[x] = (std::clamp(j, -margin, h) + margin) * wide + std::clamp(i, -margin, w) + margin;
    }
    for (std::size_t c = 0; c < channels; ++c) {
      const std::uint8_t* const before = padded.data() + c * static_cast<std::size_t>(area);
      int *const one = corners.data(), *const two = one + n, *const three = two + n, *const four = three + n,
                 *const level = levels.data();
      for (int x = 0; x < w; ++x) {
        const std::uint8_t* const corner = before + place[x];
        one[x] = corner[0], two[x] = corner[moved == Moved::y ? wide : 1];
        if constexpr (moved == Moved::both) three[x] = corner[wide], four[x] = corner[wide + 1];
      }
      const double* const share = moved == Moved::y ? bottom : right;
      for (int x = 0; x < w; ++x) {
        double sum = (1 - share[x]) * one[x] + share[x] * two[x];
        if constexpr (moved == Moved::both)
          sum = (1 - bottom[x]) * sum + bottom[x] * ((1 - right[x]) * three[x] + right[x] * four[x]);
        level[x] = static_cast<int>(nearest_of(sum));
      }
      std::uint8_t* const after =
          picture.levels.data() + (c * picture.height + static_cast<std::size_t>(y)) * picture.width;
      for (int x = 0; x < w; ++x) after[x] = static_cast<std::uint8_t>(level[x]);
    }
  }
}

template <Moved moved, class From>
void resample(const Picture& picture, Sampling sampling, const From& from) {
  sampling == Sampling::nearest ? resample_nearest(picture, from) : resample_bilinear<moved>(picture, from);
}

// Every level from a table, which is filled from 0 up.
template <class Level>
void map_levels(std::span<std::uint8_t> levels, const Level& level) {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t v = 0; v < 256; ++v) table[v] = level(static_cast<std::uint8_t>(v));
  for (std::uint8_t& v : levels) v = table[v];
}

double blended(double v, double other, double factor) { return other + factor * (v - other); }

// g of each pixel; without colours the levels themselves.
Levels greys(const Picture& picture) {
  if (picture.channels != 3) return {picture.levels.begin(), picture.levels.end()};
  const std::size_t area = picture.area();
  Levels grey(area);
  for (std::size_t i = 0; i < area; ++i)
    grey[i] = static_cast<std::uint8_t>((2989U * picture.levels[i] + 5870U * picture.levels[area + i] +
                                         1140U * picture.levels[2 * area + i]) /
                                        10000);
  return grey;
}

void brightness(const Picture& picture, double factor) {
  map_levels(picture.levels, [&](std::uint8_t v) { return level_of(factor * v); });
}

void color(const Picture& picture, double factor) {
  if (picture.channels != 3) return;
  const Levels grey = greys(picture);
  for (std::size_t i = 0; i < picture.levels.size(); ++i)
    picture.levels[i] = level_of(blended(picture.levels[i], grey[i % grey.size()], factor));
}

void contrast(const Picture& picture, double factor) {
  const Levels grey = greys(picture);
  const auto sum = std::accumulate(grey.begin(), grey.end(), std::size_t{0});
  const double mean = static_cast<double>(sum) / static_cast<double>(grey.size());
  map_levels(picture.levels, [&](std::uint8_t v) { return level_of(blended(v, mean, factor)); });
}

void sharpness(const Picture& picture, double factor) {
  const std::size_t w = picture.width, h = picture.height;
  if (w <= 2 || h <= 2) return;
  const Levels before(picture.levels.begin(), picture.levels.end());
  for (std::size_t c = 0; c < picture.channels; ++c)
    for (std::size_t y = 1; y + 1 < h; ++y)
      for (std::size_t x = 1; x + 1 < w; ++x) {
        const std::size_t i = (c * h + y) * w + x;
        unsigned sum = 4U * before[i];
        for (const std::size_t middle : {i - w, i, i + w})
          sum += unsigned{before[middle - 1]} + before[middle] + before[middle + 1];
        const unsigned blurred = (2 * sum + 13) / 26;  // sum / 13 is never a half
        picture.levels[i] = level_of(blended(before[i], blurred, factor));
      }
}

void posterize(const Picture& picture, double bits) {
  const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - static_cast<unsigned>(bits)));
  for (std::uint8_t& v : picture.levels) v &= mask;
}

void solarize(const Picture& picture, double least) {
  for (std::uint8_t& v : picture.levels)
    if (v >= least - rounding) v = static_cast<std::uint8_t>(255 - v);
}

template <class Change>
void by_channel(const Picture& picture, const Change& change) {
  for (std::size_t c = 0; c < picture.channels; ++c)
    change(picture.levels.subspan(c * picture.area(), picture.area()));
}

void autocontrast(const Picture& picture) {
  by_channel(picture, [](std::span<std::uint8_t> channel) {
    const auto [low, high] = std::ranges::minmax(channel);
    if (low == high) return;
    map_levels(channel, [low = low, range = high - low](std::uint8_t v) {
      return static_cast<std::uint8_t>((v - low) * 255 / range);  // of levels that are there
    });
  });
}

void equalize(const Picture& picture) {
  by_channel(picture, [](std::span<std::uint8_t> channel) {
    std::array<std::size_t, 256> counts{};
    for (const std::uint8_t v : channel) ++counts[v];
    const std::size_t step = (channel.size() - counts[std::ranges::max(channel)]) / 255;
    if (step == 0) return;
    std::size_t below = 0;
    map_levels(channel, [&](std::uint8_t v) {
      if (v > 0) below += counts[v - 1U];
      return static_cast<std::uint8_t>(v == 0 ? 0 : std::min<std::size_t>(255, (below + step / 2) / step));
    });
  });
}

void rotate(const Picture& picture, double degrees, Sampling sampling) {
  const double angle = degrees * std::numbers::pi / 180, cosine = std::cos(angle), sine = std::sin(angle);
  const double middle_x = (static_cast<double>(picture.width) - 1) / 2,
               middle_y = (static_cast<double>(picture.height) - 1) / 2;
  resample<Moved::both>(picture, sampling, [=](double x, double y) {
    const double dx = x - middle_x, dy = y - middle_y;
    return std::pair(dx * cosine - dy * sine + middle_x, dx * sine + dy * cosine + middle_y);
  });
}

// Red, green, blue of any range after a hue rotation by `turn`, with the same HSV value and saturation.
std::array<double, 3> turned(const std::array<double, 3>& colour, double turn) {
  const auto [r, g, b] = colour;
  const double high = std::max({r, g, b}), low = std::min({r, g, b}), chroma = high - low;
  if (chroma == 0) return colour;
  double place = high == r ? (g - b) / chroma : high == g ? 2 + (b - r) / chroma : 4 + (r - g) / chroma;
  place += 6 * turn;
  place -= 6 * std::floor(place / 6);
  const double sector = std::floor(place), within = place - sector;
  const double falling = high - chroma * within, rising = low + chroma * within;
  const std::array<std::array<double, 3>, 6> colours = {{{high, rising, low},
                                                         {falling, high, low},
                                                         {low, high, rising},
                                                         {low, falling, high},
                                                         {rising, low, high},
                                                         {high, low, falling}}};
  return colours[static_cast<std::size_t>(sector) % 6];
}

void hue(const Picture& picture, double turn) {
  if (picture.channels != 3) return;
  const std::size_t area = picture.area();
  for (std::size_t i = 0; i < area; ++i) {
    const std::array<double, 3> before = {static_cast<double>(picture.levels[i]),
                                          static_cast<double>(picture.levels[area + i]),
                                          static_cast<double>(picture.levels[2 * area + i])};
    if (before[0] == before[1] && before[1] == before[2]) continue;
    const std::array<double, 3> colour = turned(before, turn);
    for (std::size_t c = 0; c < 3; ++c) picture.levels[c * area + i] = level_of(colour[c]);
  }
}

void gray(const Picture& picture) {
  const Levels grey = greys(picture);
  for (std::size_t i = 0; i < picture.levels.size(); ++i) picture.levels[i] = grey[i % grey.size()];
}

}  // namespace

void apply(Operation operation, const Picture& picture, double magnitude, Sampling sampling) {
  const double pixels = whole_of(magnitude);
  switch (operation) {
    case Operation::identity:
      return;
    case Operation::shear_x:
      return resample<Moved::x>(picture, sampling,
                                [=](double x, double y) { return std::pair(x + magnitude * (y + .5), y); });
    case Operation::shear_y:
      return resample<Moved::y>(picture, sampling,
                                [=](double x, double y) { return std::pair(x, y + magnitude * (x + .5)); });
    case Operation::translate_x:
      return move(picture, -static_cast<std::ptrdiff_t>(pixels), 0, false);
    case Operation::translate_y:
      return move(picture, 0, -static_cast<std::ptrdiff_t>(pixels), false);
    case Operation::rotate:
      return rotate(picture, magnitude, sampling);
    case Operation::brightness:
      return brightness(picture, magnitude);
    case Operation::color:
      return color(picture, magnitude);
    case Operation::contrast:
      return contrast(picture, magnitude);
    case Operation::sharpness:
      return sharpness(picture, magnitude);
    case Operation::posterize:
      return posterize(picture, magnitude);
    case Operation::solarize:
      return solarize(picture, magnitude);
    case Operation::autocontrast:
      return autocontrast(picture);
    case Operation::equalize:
      return equalize(picture);
    case Operation::invert:
      return map_levels(picture.levels, [](std::uint8_t v) { return static_cast<std::uint8_t>(255 - v); });
    case Operation::hue:
      return hue(picture, magnitude);
    case Operation::gray:
      return gray(picture);
  }
}

void move(const Picture& picture, std::ptrdiff_t dx, std::ptrdiff_t dy, bool mirrored) {
  const Levels before(picture.levels.begin(), picture.levels.end());
  const auto w = static_cast<std::ptrdiff_t>(picture.width), h = static_cast<std::ptrdiff_t>(picture.height);
  // Columns that come from inside the picture.
  const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(-dx, 0, w),
                       last = std::clamp<std::ptrdiff_t>(w - dx, first, w);
  std::ranges::fill(picture.levels, std::uint8_t{0});
  if (first == last) return;
  for (std::size_t c = 0; c < picture.channels; ++c)
    for (std::ptrdiff_t y = std::max<std::ptrdiff_t>(0, -dy); y < std::min(h, h - dy); ++y) {
      const std::size_t plane = c * picture.area();
      const std::uint8_t* const from = before.data() + plane + static_cast<std::size_t>((y + dy) * w);
      std::uint8_t* const to = picture.levels.data() + plane + static_cast<std::size_t>(y * w);
      if (mirrored)
        std::reverse_copy(from + (w - dx - last), from + (w - dx - first), to + first);
      else
        std::copy(from + first + dx, from + last + dx, to + first);
    }
}

double magnitude_of(Operation operation, double t, const Picture& picture) {
  switch (operation) {
    case Operation::shear_x:
    case Operation::shear_y:
      return .3 * t;
    case Operation::translate_x:
      return 150. / 331 * static_cast<double>(picture.width) * t;
    case Operation::translate_y:
      return 150. / 331 * static_cast<double>(picture.height) * t;
    case Operation::rotate:
      return 30 * t;
    case Operation::brightness:
    case Operation::color:
    case Operation::contrast:
    case Operation::sharpness:
      return 1 + .9 * t;
    case Operation::posterize:
      return 8 - std::nearbyint(4 * t);
    case Operation::solarize:
      return 255 * (1 - t);
    default:
      return 0;
  }
}

bool is_signed(Operation operation) {
  return operation >= Operation::shear_x && operation <= Operation::sharpness;
}

}  // namespace leeway::nn::augment
