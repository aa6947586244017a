// x' = x correlated with a disc: cells of a grid with i^2 + j^2 <= r^2, divided by their number, then smoothed by a Gaussian of
// deviation `alias` over 3 x 3 cells (5 x 5 where r > 8). The picture goes on mirrored, without its border pixel.
//
// A radius that was scaled to the picture's size is no whole number of halves any more, and the disc would jump: then a cell
// counts as the share of its 8 x 8 parts that lie in the disc. `alias` is not scaled.
//
// Source: Hendrycks and Dietterich, ICLR 2019; constants of the authors' programs. Theirs smooth on a grid that a disc of radius
// 8 or 10 fills to its edge and mirror it there; here the grid is wide enough, and the weights sum to 1.
#include "leeway/shift/corruption.h"
#include "leeway/shift/detail/disc_filter.h"

namespace leeway::shift {
namespace {

struct Constants {
  double radius = 0, alias = 0;
};
constexpr std::array<std::array<Constants, 5>, 3> constants{{
    {{{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}}},
    {{{.5, .6}, {1, .1}, {1.5, .1}, {2.5, .01}, {3, .1}}},
    {{{3, .1}, {4, .5}, {6, .5}, {8, .5}, {10, .5}}},
}};

void change(const CorruptedPicture& picture, const CorruptionSetting& setting, Random&) {
  thread_local DiscFilter disc;
  const Constants& own = setting.of(constants);
  const double radius = own.radius * setting.scale.lengths;
  disc.set({radius, setting.scale.lengths != 1, own.alias, radius > 8 ? 2u : 1u, picture.width});
  for (std::size_t c = 0; c < picture.channels; ++c) disc.apply(picture.plane(c), picture.height);
}

}  // namespace

Corruption corrupt_defocus_blur() {
  return {{"defocus-blur", "convolution with a disc", "Hendrycks and Dietterich, ICLR 2019"},
          CorruptionGroup::blur,
          change};
}

}  // namespace leeway::shift
