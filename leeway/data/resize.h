// Resizes pictures with antialiasing, in the fixed-point arithmetic of Pillow's Image.resize: the same bytes.
//
// From m to n pixels along an axis, with scale s = m / n, r = max(s, 1), center c_i = (i + 1/2) s, support a:
//   y_i = sum_j w_ij x_j / sum_j w_ij,   w_ij = f((j + 1/2 - c_i) / r),   |j + 1/2 - c_i| <= a r,   0 <= j < m
//   bilinear: a = 1, f(t) = 1 - |t|;   bicubic: a = 2, Keys' f with parameter -1/2
//   nearest: y_i = x_floor(c_i)
// Weights have 22 bits after the point. First the columns, then the rows are rounded to levels from 0 to 255,
// half up. An axis of the same size stays as it is.
//
// Cost: about 2 a r products per pixel and axis, of the window only. Thread-safe; same bits on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway::data {

enum class Interpolation { bilinear, bicubic, nearest };

// Pixels to compute of a resized picture of height x width: those from (top, left) on.
struct Window {
  std::size_t height = 0, width = 0, top = 0, left = 0;
};

// (channels,height,width) each, equal channels; std::logic_error for a shape unlike its pixels, an empty
// side, or a window that leaves the picture.
void resize(std::span<const std::uint8_t> from, const std::array<std::size_t, 3>& from_shape,
            std::span<std::uint8_t> to, const std::array<std::size_t, 3>& to_shape, const Window& of,
            Interpolation interpolation);
// The whole picture, bilinear.
inline void resize(std::span<const std::uint8_t> from, const std::array<std::size_t, 3>& from_shape,
                   std::span<std::uint8_t> to, const std::array<std::size_t, 3>& to_shape) {
  resize(from, from_shape, to, to_shape, {to_shape[1], to_shape[2]}, Interpolation::bilinear);
}

}  // namespace leeway::data
