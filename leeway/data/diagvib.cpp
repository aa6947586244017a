#include "leeway/data/diagvib.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "leeway/core/message.h"

namespace leeway::data {
namespace {

constexpr std::size_t object = diagvib_object_side;
constexpr int ink = 100, opaque = 150;  // levels above which a pixel belongs to the digit, and to its glyph
constexpr double eleventh = 1. / 11, seventh = 1. / 7;
constexpr double cut =
    1e-6;  // added before numbers are cut: a sum of weights may fall short of 1 by its rounding

constexpr std::array<std::string_view, diagvib_factors> factor_names = {"hue", "lightness", "position",
                                                                        "scale", "texture"};

constexpr DiagvibClass hues[] = {{"red", -15, 15},   {"yellow", 45, 75}, {"green", 105, 135},
                                 {"cyan", 165, 195}, {"blue", 225, 255}, {"magenta", 285, 315}};

constexpr DiagvibClass lightness_of(std::string_view name, int first) {
  return {name, first * eleventh, (first + 1) * eleventh, (first + 4) * eleventh, (first + 5) * eleventh};
}
constexpr DiagvibClass lightnesses[] = {lightness_of("dark", 0), lightness_of("darker", 2),
                                        lightness_of("brighter", 4), lightness_of("bright", 6)};

constexpr DiagvibClass position_of(std::string_view name, int row, int column) {
  return {name, row * seventh, (row + 1) * seventh, column * seventh, (column + 1) * seventh};
}
constexpr DiagvibClass positions[] = {
    position_of("upper-left", 1, 1),  position_of("upper-centre", 1, 3), position_of("upper-right", 1, 5),
    position_of("centre-left", 3, 1), position_of("centre", 3, 3),       position_of("centre-right", 3, 5),
    position_of("lower-left", 5, 1),  position_of("lower-centre", 5, 3), position_of("lower-right", 5, 5)};

constexpr DiagvibClass scales[] = {{"small", 1 / 1.45, 1 / 1.35},
                                   {"smaller", 1 / 1.25, 1 / 1.15},
                                   {"normal", 1 / 1.05, 1.05},
                                   {"larger", 1.15, 1.25},
                                   {"large", 1.35, 1.45}};

// Weights of the pixels from `first` on, of which one of the result is made.
struct SplineTaps {
  std::size_t first = 0;
  std::vector<double> weights;
};

// Bilinear with a Gaussian before it where that shrinks, as scipy's gaussian_filter (cut at 4 sigma) and zoom have it. Beyond the
// edge lies the edge.
std::vector<SplineTaps> spline_taps_of(std::size_t side) {
  constexpr auto last = static_cast<double>(object - 1);
  const double factor = static_cast<double>(object) / static_cast<double>(side),
               sigma = std::max(0., (factor - 1) / 2);
  const int radius = static_cast<int>(std::lround(4 * sigma));
  std::vector<double> kernel;
  double sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    kernel.push_back(radius == 0 ? 1 : std::exp(-.5 * (k / sigma) * (k / sigma)));
    sum += kernel.back();
  }
  const auto clamped = [](int i) { return std::clamp(i, 0, static_cast<int>(object) - 1); };
  std::vector<SplineTaps> all(side);
  for (std::size_t i = 0; i < side; ++i) {
    const double at = std::clamp((static_cast<double>(i) + .5) * factor - .5, 0., last);
    const int before = static_cast<int>(at);
    const double share = at - before;
    const int low = clamped(before - radius), high = clamped(before + 1 + radius);
    all[i].first = static_cast<std::size_t>(low);
    all[i].weights.resize(static_cast<std::size_t>(high) - static_cast<std::size_t>(low) + 1);
    for (int k = -radius; k <= radius; ++k) {
      const int place = k + radius;
      const double weight = kernel[static_cast<std::size_t>(place)] / sum;
      all[i].weights[static_cast<std::size_t>(clamped(before + k) - low)] += (1 - share) * weight;
      all[i].weights[static_cast<std::size_t>(clamped(before + 1 + k) - low)] += share * weight;
    }
  }
  return all;
}

using Square = std::array<double, object * object>;

// (side,side), cut to whole numbers.
std::vector<std::uint8_t> resampled(const Square& from, const std::vector<SplineTaps>& taps) {
  const std::size_t side = taps.size();
  std::vector<double> between(object * side);
  for (std::size_t x = 0; x < side; ++x)
    for (std::size_t y = 0; y < object; ++y) {
      double sum = 0;
      for (std::size_t t = 0; t < taps[x].weights.size(); ++t)
        sum += taps[x].weights[t] * from[y * object + taps[x].first + t];
      between[y * side + x] = sum;
    }
  std::vector<double> line(side);
  std::vector<std::uint8_t> to(side * side);
  for (std::size_t y = 0; y < side; ++y) {
    std::ranges::fill(line, cut);
    for (std::size_t t = 0; t < taps[y].weights.size(); ++t) {
      const double weight = taps[y].weights[t];
      const double* row = between.data() + (taps[y].first + t) * side;
      for (std::size_t x = 0; x < side; ++x) line[x] += weight * row[x];
    }
    for (std::size_t x = 0; x < side; ++x) to[y * side + x] = static_cast<std::uint8_t>(line[x]);
  }
  return to;
}

// The spline's coefficients, in place: two recursive passes with the pole sqrt(3) - 2.
void to_coefficients(std::span<double> line) {
  const std::size_t n = line.size();
  if (n == 1) return;
  const double pole = std::numbers::sqrt3 - 2;
  double sum = line[0], power = 1, mirrored = std::pow(pole, static_cast<double>(2 * n - 2));
  const double whole = mirrored;
  for (std::size_t i = 1; i < n; ++i) {
    power *= pole, mirrored /= pole;
    sum += (i + 1 < n ? power + mirrored : power) * line[i];
  }
  line[0] = sum / (1 - whole);
  for (std::size_t i = 1; i < n; ++i) line[i] += pole * line[i - 1];
  line[n - 1] = pole / (pole * pole - 1) * (line[n - 1] + pole * line[n - 2]);
  for (std::size_t i = n - 1; i-- > 0;) line[i] = pole * (line[i + 1] - line[i]);
  for (double& value : line) value *= 6;
}

std::size_t mirrored(std::ptrdiff_t at, std::size_t n) {
  const auto period = static_cast<std::ptrdiff_t>(2 * n - 2);
  if (period == 0) return 0;
  at = ((at % period) + period) % period;
  return static_cast<std::size_t>(at < static_cast<std::ptrdiff_t>(n) ? at : period - at);
}

std::vector<double> resized_line(std::vector<double> line, std::size_t length) {
  const std::size_t n = line.size();
  to_coefficients(line);
  std::vector<double> result(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double at =
        (static_cast<double>(i) + .5) * static_cast<double>(n) / static_cast<double>(length) - .5;
    const double before = std::floor(at), t = at - before, s = 1 - t;
    const std::array<double, 4> weights = {s * s * s / 6, (4 - 6 * t * t + 3 * t * t * t) / 6,
                                           (4 - 6 * s * s + 3 * s * s * s) / 6, t * t * t / 6};
    for (std::size_t k = 0; k < weights.size(); ++k)
      result[i] +=
          weights[k] *
          line[mirrored(static_cast<std::ptrdiff_t>(before) - 1 + static_cast<std::ptrdiff_t>(k), n)];
  }
  return result;
}

// (height,width) to (height,width), sides of at least 1, by the interpolating cubic B-spline, pixel centers
// aligned: scipy.ndimage.zoom(order=3, mode="mirror", grid_mode=True). From m to n pixels along an axis: y_i
// = sum_j c_j B((i + 1/2) m / n - 1/2 - j), c such that the spline interpolates the pixel centers (Unser,
// Aldroubi and Eden 1993); mirrored about the first and last pixel.
std::vector<double> cubic_spline_resize(std::span<const double> from,
                                        const std::array<std::size_t, 2>& from_shape,
                                        const std::array<std::size_t, 2>& to_shape) {
  const auto [height, width] = from_shape;
  const std::size_t rows = to_shape[0], columns = to_shape[1];
  std::vector<double> between(height * columns), result(rows * columns);
  for (std::size_t y = 0; y < height; ++y) {
    const auto row = from.subspan(y * width, width);
    const std::vector<double> line = resized_line({row.begin(), row.end()}, columns);
    for (std::size_t x = 0; x < columns; ++x) between[y * columns + x] = line[x];
  }
  std::vector<double> column(height);
  for (std::size_t x = 0; x < columns; ++x) {
    for (std::size_t y = 0; y < height; ++y) column[y] = between[y * columns + x];
    const std::vector<double> line = resized_line(column, rows);
    for (std::size_t y = 0; y < rows; ++y) result[y * columns + x] = line[y];
  }
  return result;
}

double between(double low, double high, double share) { return low + (high - low) * share; }

}  // namespace

std::string_view name_of(DiagvibFactor factor) { return factor_names[static_cast<std::size_t>(factor)]; }

std::optional<DiagvibFactor> diagvib_factor(std::string_view name) {
  const auto found = std::ranges::find(factor_names, name);
  if (found == factor_names.end()) return std::nullopt;
  return static_cast<DiagvibFactor>(found - factor_names.begin());
}

std::span<const DiagvibClass> diagvib_classes(DiagvibFactor factor) {
  switch (factor) {
    case DiagvibFactor::hue:
      return hues;
    case DiagvibFactor::lightness:
      return lightnesses;
    case DiagvibFactor::position:
      return positions;
    case DiagvibFactor::scale:
      return scales;
    case DiagvibFactor::texture:
      break;
  }
  throw std::logic_error("diagvib_classes: expected a factor other than the texture");
}

std::optional<DiagvibGlyph> diagvib_glyph(std::span<const std::uint8_t> digit) {
  constexpr std::size_t side = diagvib_digit_side;
  if (digit.size() != side * side) throw std::logic_error("diagvib_glyph: expected 28 x 28 pixels");
  std::size_t top = side, bottom = 0, left = side, right = 0;
  for (std::size_t i = 0; i < digit.size(); ++i) {
    if (digit[i] <= ink) continue;
    top = std::min(top, i / side), bottom = std::max(bottom, i / side);
    left = std::min(left, i % side), right = std::max(right, i % side);
  }
  if (top == side) return std::nullopt;
  const std::size_t height = bottom - top + 1, width = right - left + 1, longer = std::max(height, width);
  std::vector<double> box(height * width);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) box[y * width + x] = digit[(top + y) * side + left + x];
  const auto enlarged = [&](std::size_t length) { return (2 * length * side + longer) / (2 * longer); };
  const std::size_t rows = enlarged(height), columns = enlarged(width);
  const std::vector<double> large = cubic_spline_resize(box, {height, width}, {rows, columns});
  // int(19.5 - (length - 1) / 2)
  const std::size_t first_row = (object - rows) / 2, first_column = (object - columns) / 2;
  DiagvibGlyph glyph;
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < columns; ++x)
      if (std::floor(large[y * columns + x] + cut) > opaque)
        glyph.set((first_row + y) * object + first_column + x);
  if (glyph.none()) return std::nullopt;
  return glyph;
}

DiagvibLook diagvib_look(const DiagvibCodes& codes, const DiagvibTexture& texture, Random random) {
  const auto chosen = [&](DiagvibFactor factor) -> const DiagvibClass& {
    return diagvib_classes(factor)[codes[static_cast<std::size_t>(factor)]];
  };
  const DiagvibClass &hue = chosen(DiagvibFactor::hue), &lightness = chosen(DiagvibFactor::lightness),
                     &position = chosen(DiagvibFactor::position), &scale = chosen(DiagvibFactor::scale);
  DiagvibLook look;
  look.lightness1 = between(lightness.low, lightness.high, random.uniform());
  look.lightness2 = between(lightness.low2, lightness.high2, random.uniform());
  look.hue = between(hue.low, hue.high, random.uniform());
  look.row = between(position.low, position.high, random.uniform());
  look.column = between(position.low2, position.high2, random.uniform());
  look.scale = between(scale.low, scale.high, random.uniform());
  const auto crop = [&](std::size_t side) {  // 0..215 of 256
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(side - object));
  };
  look.crop_row = crop(texture.height);
  look.crop_column = crop(texture.width);
  return look;
}

std::array<std::uint8_t, 3> diagvib_color(double hue, double lightness) {
  const double high = std::min(1., 2 * lightness), low = std::max(0., 2 * lightness - 1);
  const double sixth = std::fmod(std::fmod(hue, 360.) + 360., 360.) / 60;
  const auto channel = [&](double shift) {  // 1 within a sixth of its own hue, 0 beyond two
    const double distance = std::abs(std::remainder(sixth - shift, 6.));
    const double value = low + (high - low) * std::clamp(2 - distance, 0., 1.);
    return static_cast<std::uint8_t>(std::min(255., 255 * value + cut));
  };
  return {channel(0), channel(2), channel(4)};
}

void draw_diagvib(const DiagvibGlyph& glyph, const DiagvibLook& look, const DiagvibTexture& texture,
                  std::size_t size, std::span<std::uint8_t> out) {
  if (size < diagvib_least_size || size > diagvib_largest_size)
    refuse("size", fmt::format("{} to {} pixels", diagvib_least_size, diagvib_largest_size), size);
  if (out.size() != 3 * size * size)
    throw std::logic_error("draw_diagvib: expected room for 3 x size x size");
  const auto canvas = static_cast<double>(size);
  const auto side = static_cast<std::size_t>(
      std::lround(static_cast<double>(object) * look.scale * canvas / static_cast<double>(diagvib_canvas)));
  const std::vector<SplineTaps> taps = spline_taps_of(side);
  Square square{};
  for (std::size_t i = 0; i < square.size(); ++i) square[i] = glyph[i] ? 255 : 0;
  const std::vector<std::uint8_t> alpha = resampled(square, taps);
  const auto corner = [&](double share) {  // towards 0
    return static_cast<std::ptrdiff_t>((canvas - 1) * share - (static_cast<double>(side) - 1) / 2);
  };
  const std::ptrdiff_t top = corner(look.row), left = corner(look.column);
  const auto inside = [&](std::ptrdiff_t at) { return at >= 0 && at < static_cast<std::ptrdiff_t>(size); };
  const auto first = diagvib_color(look.hue, look.lightness1),
             second = diagvib_color(look.hue, look.lightness2);
  std::array<std::uint8_t, object * object> crop{};
  for (std::size_t i = 0; i < crop.size(); ++i)
    crop[i] = texture.pixels[(look.crop_row + i / object) * texture.width + look.crop_column + i % object];
  const bool plain = std::ranges::all_of(crop, [&](std::uint8_t level) { return level == crop[0]; });
  std::ranges::fill(out, diagvib_ground);
  std::vector<std::uint8_t> colored;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto mixed = [&](int t) { return (first[c] * t + second[c] * (255 - t)) / 255; };
    if (plain) {
      colored.assign(side * side, static_cast<std::uint8_t>(mixed(crop[0])));
    } else {
      for (std::size_t i = 0; i < square.size(); ++i) square[i] = mixed(crop[i]);
      colored = resampled(square, taps);
    }
    for (std::size_t y = 0; y < side; ++y) {
      const std::ptrdiff_t row = top + static_cast<std::ptrdiff_t>(y);
      if (!inside(row)) continue;
      for (std::size_t x = 0; x < side; ++x) {
        const std::ptrdiff_t column = left + static_cast<std::ptrdiff_t>(x);
        const int a = alpha[y * side + x];
        if (a == 0 || !inside(column)) continue;
        out[(c * size + static_cast<std::size_t>(row)) * size + static_cast<std::size_t>(column)] =
            static_cast<std::uint8_t>((a * colored[y * side + x] + (255 - a) * diagvib_ground) / 255);
      }
    }
  }
}

}  // namespace leeway::data
