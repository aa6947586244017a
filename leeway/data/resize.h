// Pictures resampled to another size: bilinear with antialiasing, what torchvision's Resize(size, antialias=True) computes
// and, but for its roundings, Pillow's resize(size, BILINEAR).
//
// Along an axis of m pixels that becomes one of n, with scale s = m / n, support r = max(s, 1) and centre c_i = (i + 1/2) s:
//   y_i = sum_j w_ij x_j / sum_j w_ij,   w_ij = max(0, 1 - |j + 1/2 - c_i| / r),   0 <= j < m.
// Levels: both axes in double, rounded once at the end, halves upwards. Pillow works in fixed point and rounds between the axes, so a byte
// may differ by one. The same size gives the same picture.
//
// Cost: about 2 r products a pixel and axis; m_height x n_width doubles a channel. Thread-safe; the same bits on one machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway::data {

// Both are (channels,height,width), with as many channels; std::logic_error where a shape is not that of its pixels
// or has a side of 0.
void resize(std::span<const std::uint8_t> from, const std::array<std::size_t, 3>& from_shape,
            std::span<std::uint8_t> to, const std::array<std::size_t, 3>& to_shape);

}  // namespace leeway::data
