// Resizes pictures: bilinear with antialiasing, as torchvision's Resize(size, antialias=True).
//
// From m to n pixels along an axis, with scale s = m / n, support r = max(s, 1) and center c_i = (i + 1/2) s:
//   y_i = sum_j w_ij x_j / sum_j w_ij,   w_ij = max(0, 1 - |j + 1/2 - c_i| / r),   0 <= j < m.
// Levels: both axes in double, rounded once at the end, half up. Pillow's resize(size, BILINEAR) rounds
// between the axes, so a byte may differ by one. The same size gives the same picture.
//
// Cost: about 2 r products per pixel and axis; memory m_height x n_width doubles per channel. Thread-safe;
// the same bits on one machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway::data {

// (channels,height,width) each, equal channels; std::logic_error for a shape unlike its pixels or an empty
// side.
void resize(std::span<const std::uint8_t> from, const std::array<std::size_t, 3>& from_shape,
            std::span<std::uint8_t> to, const std::array<std::size_t, 3>& to_shape);

}  // namespace leeway::data
