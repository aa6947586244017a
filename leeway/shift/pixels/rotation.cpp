// The picture turned counter-clockwise by t degrees about its center ((w-1)/2, (h-1)/2), size kept. With y
// pointing down, the pixel at (x, y) from the center is read bilinearly at (x cos t - y sin t, x sin t + y
// cos t); outside the picture is 0. Exact for multiples of 90 degrees where pixels fall on pixels.
//
// Source: Engstrom et al., "Exploring the landscape of spatial robustness", ICML 2019 (up to 30 degrees).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "leeway/shift/shift.h"

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

void change_by_rotation(const Picture& picture, const Setting& setting, Random&) {
  const auto height = static_cast<std::ptrdiff_t>(picture.height),
             width = static_cast<std::ptrdiff_t>(picture.width);
  const Angle turn = angle(setting.strength);
  const double centre_x = static_cast<double>(width - 1) / 2, centre_y = static_cast<double>(height - 1) / 2;
  const std::vector<float> source(picture.values.begin(), picture.values.end());
  for (std::size_t i = 0; i < picture.area(); ++i) {
    const std::size_t line = i / picture.width;
    const double dx = static_cast<double>(i % picture.width) - centre_x,
                 dy = static_cast<double>(line) - centre_y;
    const double across = dx * turn.cosine - dy * turn.sine + centre_x,
                 along = dx * turn.sine + dy * turn.cosine + centre_y;
    const double left = std::floor(across), top = std::floor(along);
    const double right = across - left, down = along - top;
    const auto x = static_cast<std::ptrdiff_t>(left), y = static_cast<std::ptrdiff_t>(top);
    for (std::size_t start = 0; start < source.size(); start += picture.area()) {
      const auto pixel = [&](std::ptrdiff_t column, std::ptrdiff_t row) {
        const bool inside = column >= 0 && column < width && row >= 0 && row < height;
        return inside ? double{source[start + static_cast<std::size_t>(row * width + column)]} : 0.;
      };
      const double above = (1 - right) * pixel(x, y) + right * pixel(x + 1, y);
      const double below = (1 - right) * pixel(x, y + 1) + right * pixel(x + 1, y + 1);
      picture.values[start + i] = static_cast<float>(std::clamp((1 - down) * above + down * below, 0., 1.));
    }
  }
}

}  // namespace

Member rotation() {
  return {{"rotation",
           "rotation about the center, bilinear, black outside",
           "Engstrom et al., ICML 2019",
           {{"strength", 30, -180, 180, "degrees, counterclockwise"}}},
          {},
          nullptr,
          change_by_rotation};
}

}  // namespace leeway::shift
