// Two bilinear samplings, lengths in pixels. Draws: Q (x, y of each corner), dx, dy.
//
// 1. The affine map of three corners P of a square to Q = P + U(-affine, affine) per coordinate: P = (c + q,
// c + q), (c + q, c - q), (c - q, c - q), c the middle and q a third of the shorter side (both whole).
// Mirrored outside the picture without the border pixel (dcb|abcd|cba). Skipped if q = 0. The authors'
// programs round places to 1/32 pixel.
// 2. The pixel at (y + dy, x + dx), dx and dy alpha times fields of U(-1, 1) under a Gaussian filter of
// sigma, cut at 3 sigma; fields and picture are mirrored with the border pixel repeated (cba|abcd|dcb).
//
// Lengths: all three constants, published as shares of 32, 64 and 244 pixels (224 was meant; kept). Source
// also: Simard, Steinkraus and Platt, ICDAR 2003.
#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/shift/detail/filter.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct ElasticTransformConstants {
  double alpha = 0, sigma = 0, affine = 0;
};

constexpr std::array<std::array<ElasticTransformConstants, 5>, 3> shares{{
    {{{0, 0, .08}, {.05, .2, .07}, {.08, .06, .06}, {.1, .04, .05}, {.1, .03, .03}}},
    {{{0, 0, .08}, {.05, .3, .06}, {.1, .08, .06}, {.1, .03, .03}, {.16, .03, .02}}},
    {{{2, .7, .1}, {2, .08, .2}, {.05, .01, .02}, {.07, .01, .02}, {.12, .01, .02}}},
}};
constexpr std::array<double, 3> units{32, 64, 244};

// place(y, x): where the pixel is read, (y, x).
template <class Place>
void sample(const Picture& picture, Border border, const Place& place) {
  const std::size_t height = picture.height, width = picture.width, area = picture.area();
  constexpr double farthest = 1e6;  // of any place that is read
  thread_local std::vector<float> source;
  source.assign(picture.values.begin(), picture.values.end());
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const auto from = place(y, x);
      const double sy = std::clamp(from[0], -farthest, farthest),
                   sx = std::clamp(from[1], -farthest, farthest);
      const double top = std::floor(sy), left = std::floor(sx);
      const auto down = static_cast<float>(sy - top), right = static_cast<float>(sx - left);
      const auto i = static_cast<std::ptrdiff_t>(top), j = static_cast<std::ptrdiff_t>(left);
      const std::size_t upper = pixel_at(i, height, border) * width,
                        lower = pixel_at(i + 1, height, border) * width, west = pixel_at(j, width, border),
                        east = pixel_at(j + 1, width, border);
      for (std::size_t channel = 0; channel < picture.channels; ++channel) {
        const float* const in = source.data() + channel * area;
        const float above = in[upper + west] + right * (in[upper + east] - in[upper + west]),
                    below = in[lower + west] + right * (in[lower + east] - in[lower + west]);
        picture.values[channel * area + y * width + x] = above + down * (below - above);
      }
    }
}

void move_affinely(const Picture& picture, double affine, Random& random) {
  const std::size_t third = std::min(picture.height, picture.width) / 3, middle = picture.width / 2,
                    half = picture.height / 2;
  const auto q = static_cast<double>(third), cx = static_cast<double>(middle), cy = static_cast<double>(half);
  std::array<std::array<double, 2>, 3> to{{{cx + q, cy + q}, {cx + q, cy - q}, {cx - q, cy - q}}};
  for (auto& corner : to)
    for (double& coordinate : corner) coordinate += affine * (2 * random.uniform() - 1);
  // from place to source: Q_0 -> P_0, u = Q_1 - Q_0 -> (0, -2 q), v = Q_2 - Q_1 -> (-2 q, 0)
  const double ux = to[1][0] - to[0][0], uy = to[1][1] - to[0][1], vx = to[2][0] - to[1][0],
               vy = to[2][1] - to[1][1];
  const double determinant = ux * vy - uy * vx;
  if (q == 0 || determinant == 0) return;
  const double scale = -2 * q / determinant;
  sample(picture, Border::mirror, [&](std::size_t y, std::size_t x) {
    const double dx = static_cast<double>(x) - to[0][0], dy = static_cast<double>(y) - to[0][1];
    return std::array{cy + q + scale * (dx * vy - dy * vx), cx + q + scale * (ux * dy - uy * dx)};
  });
}

void change_by_elastic_transform(const Picture& picture, const Setting& setting, Random& random) {
  const ElasticTransformConstants& share = setting.of(shares);
  const double unit = units[static_cast<std::size_t>(setting.scale.set) - 1] * setting.scale.lengths;
  const double alpha = share.alpha * unit, sigma = share.sigma * unit;
  move_affinely(picture, share.affine * unit, random);
  if (alpha == 0) return;
  thread_local std::array<std::vector<float>, 2> fields;  // dx, dy
  for (auto& field : fields) {
    field.resize(picture.area());
    for (float& value : field) value = static_cast<float>(2 * random.uniform() - 1);
    gaussian_filter(field, picture.height, picture.width, sigma, Border::symmetric, 3);
  }
  sample(picture, Border::symmetric, [&](std::size_t y, std::size_t x) {
    const std::size_t i = y * picture.width + x;
    return std::array{static_cast<double>(y) + alpha * fields[1][i],
                      static_cast<double>(x) + alpha * fields[0][i]};
  });
}

}  // namespace

Member elastic_transform() {
  return {{"elastic-transform", "a random affine map, then random local displacements", benchmark_paper},
          "digital",
          change_by_elastic_transform};
}

}  // namespace leeway::shift
