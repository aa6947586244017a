// Pictures enlarged by the interpolating cubic B-spline, pixel centres aligned.
//
// Along an axis of m pixels that becomes one of n: y_i = sum_j c_j B((i + 1/2) m / n - 1/2 - j), B the cubic B-spline, c such that
// the spline takes the pixels' values at their centres (Unser, Aldroubi and Eden 1993). Beyond the ends the picture is mirrored about
// the first and last pixel. This is scipy.ndimage.zoom(order=3, mode="mirror", grid_mode=True).
//
// Cost: 4 products a pixel and axis. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace leeway::data {

// (height,width) to (height,width), sides of at least 1.
[[nodiscard]] std::vector<double> cubic_spline_resize(std::span<const double> from,
                                                      const std::array<std::size_t, 2>& from_shape,
                                                      const std::array<std::size_t, 2>& to_shape);

}  // namespace leeway::data
