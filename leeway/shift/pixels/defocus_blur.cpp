// x' = x correlated with a disc: cells of a grid with i^2 + j^2 <= r^2, divided by their number, smoothed by
// a Gaussian of deviation `alias` over 3 x 3 cells (5 x 5 if r > 8). The picture is mirrored without its
// border pixel.
//
// A radius scaled to the picture's size would make the disc jump between sizes; each cell then counts as the
// share of its 8 x 8 parts in the disc. `alias` is not scaled. The authors' programs smooth on a grid that a
// disc of radius 8 or 10 fills, mirrored there (Variant::published); here the grid is wide enough, and the
// weights sum to 1.
#include <cmath>
#include <vector>

#include "leeway/shift/detail/disc_filter.h"
#include "leeway/shift/detail/filter.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct DefocusBlurConstants {
  double radius = 0, alias = 0;
};
constexpr std::array<std::array<DefocusBlurConstants, 5>, 3> defocus_blur_constants{{
    {{{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}}},
    {{{.5, .6}, {1, .1}, {1.5, .1}, {2.5, .01}, {3, .1}}},
    {{{3, .1}, {4, .5}, {6, .5}, {8, .5}, {10, .5}}},
}};

// The kernel of the authors' programs: the disc on a grid of max(8, r) cells around the middle, smoothed on that grid, which goes on
// mirrored. Row by row, 2 max(8, r) + 1 cells a side.
std::vector<float> published_kernel(const DefocusBlurConstants& own, std::size_t& side) {
  const auto most = static_cast<std::ptrdiff_t>(own.radius <= 8 ? 8 : own.radius);
  const std::ptrdiff_t reach = own.radius <= 8 ? 1 : 2;
  side = static_cast<std::size_t>(2 * most + 1);
  std::vector<float> kernel;
  double cells = 0;
  for (std::ptrdiff_t y = -most; y <= most; ++y)
    for (std::ptrdiff_t x = -most; x <= most; ++x) {
      const bool inside = static_cast<double>(x * x + y * y) <= own.radius * own.radius;
      kernel.push_back(inside ? 1.f : 0.f);
      cells += inside;
    }
  std::vector<float> smoothing;
  double sum = 0;
  for (std::ptrdiff_t i = -reach; i <= reach; ++i)
    for (std::ptrdiff_t j = -reach; j <= reach; ++j) {
      const double weight = std::exp(-static_cast<double>(i * i + j * j) / (2 * own.alias * own.alias));
      smoothing.push_back(static_cast<float>(weight));
      sum += weight;
    }
  for (float& weight : smoothing) weight = static_cast<float>(weight / (sum * cells));
  correlate(kernel, side, side, smoothing, static_cast<std::size_t>(2 * reach + 1));
  return kernel;
}

void change_by_defocus_blur(const Picture& picture, const Setting& setting, Random&) {
  thread_local DiscFilter disc;
  const DefocusBlurConstants& own = setting.of(defocus_blur_constants);
  if (setting.variant == Variant::published && setting.scale.lengths == 1) {
    std::size_t side = 0;
    const std::vector<float> kernel = published_kernel(own, side);
    for (std::size_t c = 0; c < picture.channels; ++c)
      correlate(picture.plane(c), picture.height, picture.width, kernel, side);
    return;
  }
  const double radius = own.radius * setting.scale.lengths;
  disc.set({radius, setting.scale.lengths != 1, own.alias, radius > 8 ? 2u : 1u, picture.width});
  for (std::size_t c = 0; c < picture.channels; ++c) disc.apply(picture.plane(c), picture.height);
}

}  // namespace

Member defocus_blur() {
  return {{"defocus-blur", "convolution with a disc", benchmark_paper}, "blur", change_by_defocus_blur};
}

}  // namespace leeway::shift
