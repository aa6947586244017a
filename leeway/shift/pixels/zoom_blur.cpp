// x' = (x + sum over factors f of the middle 1/f of x, enlarged by f) / (number of factors + 1). The factors
// are 1, 1 + step, 1 + 2 step, ...: the picture itself counts twice. As in the authors' programs, rounding
// decides whether the limit is included (1.06 is, 1.26 is not). Theirs cut squares; here each axis is cut
// separately.
#include "leeway/shift/detail/filter.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct Factors {
  double step = 0;
  std::size_t count = 0;
};
constexpr std::array<Factors, 5> small{{{.01, 7}, {.01, 12}, {.01, 16}, {.01, 21}, {.01, 26}}};
constexpr std::array<std::array<Factors, 5>, 3> zoom_blur_factors{{
    small,
    small,
    {{{.01, 12}, {.01, 16}, {.02, 11}, {.02, 13}, {.03, 11}}},
}};

void change_by_zoom_blur(const Picture& picture, const Setting& setting, Random&) {
  const Factors& own = setting.of(zoom_blur_factors);
  const double step = (1 + own.step) - 1;  // as the authors' lists of factors are made
  for (std::size_t c = 0; c < picture.channels; ++c)
    mean_of_zooms(picture.plane(c), picture.height, picture.width, step, own.count);
}

}  // namespace

Member zoom_blur() {
  return {{"zoom-blur", "mean of the image at several zoom levels", benchmark_paper},
          "blur",
          change_by_zoom_blur};
}

}  // namespace leeway::shift
