// The picture turned counter-clockwise by t degrees about its center ((w-1)/2, (h-1)/2), size kept. With y
// pointing down, the pixel at (x, y) from the center is read bilinearly at (x cos t - y sin t, x sin t + y
// cos t); outside the picture is 0. Exact for multiples of 90 degrees where pixels fall on pixels.
//
// Source: Engstrom et al., "Exploring the landscape of spatial robustness", ICML 2019 (up to 30 degrees).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

struct Angle {
  double cosine, sine;
};

// Quarter turns first: the cosine of a rounded pi/2 is not 0.
Angle angle(double degrees) {
  const double quarters = std::nearbyint(degrees / 90);
  const double rest = (degrees - 90 * quarters) * std::numbers::pi / 180;
  Angle turned{std::cos(rest), std::sin(rest)};
  const int quadrant = (static_cast<int>(quarters) % 4 + 4) % 4;
  for (int i = 0; i < quadrant; ++i) turned = {-turned.sine, turned.cosine};
  return turned;
}

// Where one output pixel is read: the upper left of four pixels, which may lie outside, and the weights
// beyond it.
struct Place {
  std::ptrdiff_t x, y;
  double right, down;
};

std::vector<Place> places(std::size_t height, std::size_t width, double degrees) {
  const Angle turn = angle(degrees);
  const double centre_x = static_cast<double>(width - 1) / 2, centre_y = static_cast<double>(height - 1) / 2;
  std::vector<Place> all;
  all.reserve(height * width);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      const double dx = static_cast<double>(column) - centre_x, dy = static_cast<double>(row) - centre_y;
      const double x = dx * turn.cosine - dy * turn.sine + centre_x,
                   y = dx * turn.sine + dy * turn.cosine + centre_y;
      const double left = std::floor(x), top = std::floor(y);
      all.push_back({static_cast<std::ptrdiff_t>(left), static_cast<std::ptrdiff_t>(top), x - left, y - top});
    }
  return all;
}

void turn(std::span<float> channel, std::ptrdiff_t height, std::ptrdiff_t width,
          const std::vector<Place>& from) {
  const std::vector<float> source(channel.begin(), channel.end());
  const auto pixel = [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? static_cast<double>(source[static_cast<std::size_t>(y * width + x)]) : 0.;
  };
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto [x, y, right, down] = from[i];
    const double above = (1 - right) * pixel(x, y) + right * pixel(x + 1, y);
    const double below = (1 - right) * pixel(x, y + 1) + right * pixel(x + 1, y + 1);
    channel[i] = static_cast<float>(std::clamp((1 - down) * above + down * below, 0., 1.));
  }
}

Shifted shift_by_rotation(const Images& images, const Options& options, Progress* progress) {
  const std::vector<Place> from = places(images.height(), images.width(), options.strength);
  return change_channels(images, "rotation", progress, [&](std::span<float> channel) {
    turn(channel, static_cast<std::ptrdiff_t>(images.height()), static_cast<std::ptrdiff_t>(images.width()),
         from);
  });
}

}  // namespace

Member rotation() {
  return {{"rotation",
           "rotation about the center, bilinear, black outside",
           "Engstrom et al., ICML 2019",
           {{"strength", 30, -180, 180, "degrees, counterclockwise"}}},
          0,
          shift_by_rotation};
}

}  // namespace leeway::shift
