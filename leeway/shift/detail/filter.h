// Filters of planes that corruptions share. Not part of the library's interface.
//
// A plane is h x w floats, row after row. Each function is a pure function of its arguments; scratch memory is the thread's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leeway::shift {

enum class Border {
  nearest,    // a a a | a b c d | d d d
  symmetric,  // c b a | a b c d | d c b
  mirror,     // d c b | a b c d | c b a: without the border pixel itself
};

// The pixel of a line of `size` that stands at place i, which may lie outside: pixel_beyond is its part for those that do.
[[nodiscard]] std::size_t pixel_beyond(std::ptrdiff_t i, std::size_t size, Border border);
[[nodiscard]] inline std::size_t pixel_at(std::ptrdiff_t i, std::size_t size, Border border) {
  return i >= 0 && i < static_cast<std::ptrdiff_t>(size) ? static_cast<std::size_t>(i)
                                                         : pixel_beyond(i, size, border);
}

// places[i] = the pixel at place i - before, for a line with `before` and `after` more places at its ends.
void extend(std::size_t size, std::size_t before, std::size_t after, Border border,
            std::vector<std::size_t>& places);

// exp(-i^2 / (2 sigma^2)) for |i| <= radius, normalised. Divided before squared: sigma^2 of a tiny sigma is 0.
[[nodiscard]] std::vector<double> gaussian_weights(double sigma, std::size_t radius);

// Separable: weights exp(-i^2 / (2 sigma^2)) over |i| <= int(truncate sigma + .5), normalised. A radius of 0 changes nothing.
void gaussian_filter(std::span<float> plane, std::size_t height, std::size_t width, double sigma,
                     Border border = Border::nearest, double truncate = 4);

// sum_ij kernel(i,j) plane(y + i - k/2, x + j - k/2), a k x k kernel with k odd: correlation, centre anchor, Border::mirror.
void correlate(std::span<float> plane, std::size_t height, std::size_t width, std::span<const float> kernel,
               std::size_t k);

// One-sided: out(y,x) = sum_i k_i in(y + ceil(i sin a - .5), x + ceil(i cos a - .5)), i = 0 .. 2 ceil(radius), k_i =
// exp(-i^2 / (2 sigma^2)) normalised, edges replicated; rounded to levels of 1/255. `angle` in degrees.
void motion_filter(std::span<float> plane, std::size_t height, std::size_t width, double radius, double sigma,
                   double angle);

// The middle 1/factor of the plane, each axis by itself, enlarged linearly (ends aligned) to round(part * factor) and cut
// to h x w about its middle.
void zoom_middle(std::span<const float> plane, std::size_t height, std::size_t width, double factor,
                 std::span<float> out);

// (plane + sum over i < count of its middle at the factor 1 + i step) / (count + 1).
void mean_of_zooms(std::span<float> plane, std::size_t height, std::size_t width, double step,
                   std::size_t count);

}  // namespace leeway::shift
