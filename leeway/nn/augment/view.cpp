#include "leeway/nn/augment/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "leeway/core/family.h"

namespace leeway::nn {
namespace {

using Levels = std::vector<std::uint8_t>;

std::uint8_t level_of(double value) {  // towards zero, as conversions to bytes are
  return static_cast<std::uint8_t>(std::clamp(value, 0., 255.));
}

// Every pixel from the nearest to from(x, y), zeros outside.
template <class From>
void move(const Picture& picture, const From& from) {
  const Levels before(picture.levels.begin(), picture.levels.end());
  const auto w = static_cast<std::ptrdiff_t>(picture.width), h = static_cast<std::ptrdiff_t>(picture.height);
  for (std::ptrdiff_t y = 0; y < h; ++y)
    for (std::ptrdiff_t x = 0; x < w; ++x) {
      const auto [from_x, from_y] = from(static_cast<double>(x), static_cast<double>(y));
      const auto i = static_cast<std::ptrdiff_t>(std::nearbyint(from_x)),
                 j = static_cast<std::ptrdiff_t>(std::nearbyint(from_y));
      const bool inside = i >= 0 && i < w && j >= 0 && j < h;
      for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(picture.channels); ++c)
        picture.levels[static_cast<std::size_t>((c * h + y) * w + x)] =
            inside ? before[static_cast<std::size_t>((c * h + j) * w + i)] : std::uint8_t{0};
    }
}

// v <- f v + (1 - f) other(i), i the place among all levels.
template <class Other>
void blend(const Picture& picture, double factor, const Other& other) {
  for (std::size_t i = 0; i < picture.levels.size(); ++i)
    picture.levels[i] = level_of(factor * picture.levels[i] + (1 - factor) * other(i));
}

// Levels of grey, as a whole number each; of one channel its own.
std::vector<double> greys(const Picture& picture) {
  const std::size_t area = picture.height * picture.width;
  std::vector<double> grey(area);
  for (std::size_t i = 0; i < area; ++i)
    grey[i] = picture.channels == 3 ? std::floor(.2989 * picture.levels[i] + .587 * picture.levels[area + i] +
                                                 .114 * picture.levels[2 * area + i])
                                    : picture.levels[i];
  return grey;
}

void color(const Picture& picture, double factor) {
  if (picture.channels != 3) return;
  const std::vector<double> grey = greys(picture);
  blend(picture, factor, [&](std::size_t i) { return grey[i % grey.size()]; });
}

void contrast(const Picture& picture, double factor) {
  double mean = 0;
  const std::vector<double> grey = greys(picture);
  for (const double v : grey) mean += v / static_cast<double>(grey.size());
  blend(picture, factor, [&](std::size_t) { return mean; });
}

void brightness(const Picture& picture, double factor) {
  blend(picture, factor, [](std::size_t) { return 0.; });
}

// Against the mean of the 3 x 3 around a pixel that counts five times; the border stays.
void sharpness(const Picture& picture, double factor) {
  const std::size_t w = picture.width, h = picture.height;
  if (w <= 2 || h <= 2) return;
  const Levels before(picture.levels.begin(), picture.levels.end());
  blend(picture, factor, [&](std::size_t i) {
    const std::size_t x = i % w, y = i / w % h;
    if (x == 0 || y == 0 || x + 1 == w || y + 1 == h) return static_cast<double>(before[i]);
    double sum = 4. * before[i];
    for (const std::size_t row : {i - w, i, i + w}) sum += before[row - 1] + before[row] + before[row + 1];
    return std::nearbyint(sum / 13);
  });
}

void posterize(const Picture& picture, double bits) {
  const auto kept = static_cast<unsigned>(bits);
  const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - kept));
  for (std::uint8_t& v : picture.levels) v &= mask;
}

void solarize(const Picture& picture, double least) {
  for (std::uint8_t& v : picture.levels)
    if (v >= least) v = static_cast<std::uint8_t>(255 - v);
}

template <class Channel>
void by_channel(const Picture& picture, const Channel& change) {
  const std::size_t area = picture.height * picture.width;
  for (std::size_t c = 0; c < picture.channels; ++c) change(picture.levels.subspan(c * area, area));
}

void autocontrast(const Picture& picture, double) {
  by_channel(picture, [](std::span<std::uint8_t> channel) {
    const auto [low, high] = std::ranges::minmax(channel);
    if (low == high) return;
    for (std::uint8_t& v : channel) v = level_of((v - low) * 255. / (high - low));
  });
}

void equalize(const Picture& picture, double) {
  by_channel(picture, [](std::span<std::uint8_t> channel) {
    std::array<std::size_t, 256> counts{};
    for (const std::uint8_t v : channel) ++counts[v];
    const std::size_t step = (channel.size() - counts[std::ranges::max(channel)]) / 255;
    if (step == 0) return;
    std::array<std::uint8_t, 256> table{};
    std::size_t below = 0;
    for (std::size_t v = 1; v < 256; ++v) {
      below += counts[v - 1];
      table[v] = static_cast<std::uint8_t>(std::min<std::size_t>(255, (below + step / 2) / step));
    }
    for (std::uint8_t& v : channel) v = table[v];
  });
}

void rotate(const Picture& picture, double degrees) {
  const double angle = degrees * std::numbers::pi / 180, cosine = std::cos(angle), sine = std::sin(angle);
  const double middle_x = (static_cast<double>(picture.width) - 1) / 2,
               middle_y = (static_cast<double>(picture.height) - 1) / 2;
  move(picture, [&](double x, double y) {
    const double dx = x - middle_x, dy = y - middle_y;
    return std::pair(dx * cosine - dy * sine + middle_x, dx * sine + dy * cosine + middle_y);
  });
}

void shear_x(const Picture& picture, double m) {
  move(picture, [&](double x, double y) { return std::pair(x + m * (y + .5), y); });
}
void shear_y(const Picture& picture, double m) {
  move(picture, [&](double x, double y) { return std::pair(x, y + m * (x + .5)); });
}
void translate_x(const Picture& picture, double share) {
  const double by = std::trunc(share * static_cast<double>(picture.width));
  move(picture, [&](double x, double y) { return std::pair(x - by, y); });
}
void translate_y(const Picture& picture, double share) {
  const double by = std::trunc(share * static_cast<double>(picture.height));
  move(picture, [&](double x, double y) { return std::pair(x, y - by); });
}
void identity(const Picture&, double) {}

struct Operation {
  std::string_view name;
  void (*apply)(const Picture& picture, double magnitude);
  double low, high;  // of a magnitude drawn uniformly
  bool whole = false;
};

constexpr std::array<Operation, 14> operations = {{
    {"identity", identity, 0, 0},
    {"autocontrast", autocontrast, 0, 0},
    {"equalize", equalize, 0, 0},
    {"rotate", rotate, -30, 30},
    {"solarize", solarize, 0, 256},
    {"color", color, .05, .95},
    {"posterize", posterize, 4, 8, true},
    {"contrast", contrast, .05, .95},
    {"brightness", brightness, .05, .95},
    {"sharpness", sharpness, .05, .95},
    {"shear-x", shear_x, -.3, .3},
    {"shear-y", shear_y, -.3, .3},
    {"translate-x", translate_x, -.3, .3},
    {"translate-y", translate_y, -.3, .3},
}};

// A whole number from -most to most.
double offset(std::size_t most, Random& random) {
  return static_cast<double>(random.below(2 * most + 1)) - static_cast<double>(most);
}

void weak(const Picture& picture, Random& random) {
  const bool mirrored = random.below(2) == 1;
  const double dx = offset(picture.width / 8, random), dy = offset(picture.height / 8, random);
  const double last = static_cast<double>(picture.width) - 1;
  move(picture, [&](double x, double y) { return std::pair(mirrored ? last - (x + dx) : x + dx, y + dy); });
}

void grey_square(const Picture& picture, Random& random) {
  constexpr std::array<std::uint8_t, 3> grey = {125, 123, 114};
  constexpr std::uint8_t mean = 121;
  const auto w = static_cast<double>(picture.width), h = static_cast<double>(picture.height);
  const double half = random.uniform() * w / 4, x = random.uniform() * w, y = random.uniform() * h;
  const auto place = [](double value, double end) {
    return static_cast<std::size_t>(std::clamp(value, 0., end));
  };
  for (std::size_t c = 0; c < picture.channels; ++c)
    for (std::size_t j = place(y - half, h); j < place(y + half, h); ++j)
      for (std::size_t i = place(x - half, w); i < place(x + half, w); ++i)
        picture.levels[(c * picture.height + j) * picture.width + i] = picture.channels == 3 ? grey[c] : mean;
}

void strong(const Picture& picture, Random& random) {
  weak(picture, random);
  for (int i = 0; i < 2; ++i) {
    const Operation& operation = operations[random.below(operations.size())];
    const double at = random.uniform(), span = operation.high - operation.low + (operation.whole ? 1 : 0);
    const double magnitude = operation.low + at * span;
    operation.apply(picture, operation.whole ? std::floor(magnitude) : magnitude);
  }
  grey_square(picture, random);
}

struct View {
  std::string_view name;
  void (*make)(const Picture& picture, Random& random);
};
constexpr std::array<View, 2> all_views = {{{"weak", weak}, {"strong", strong}}};

}  // namespace

void make_view(std::string_view name, const Picture& picture, Random& random) {
  find_member(std::span<const View>(all_views), "view", name).make(picture, random);
}

void apply_operation(std::string_view name, const Picture& picture, double magnitude) {
  find_member(std::span<const Operation>(operations), "operation", name).apply(picture, magnitude);
}

}  // namespace leeway::nn
