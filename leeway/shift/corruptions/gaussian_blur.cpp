// x' = x convolved with a Gaussian of deviation sigma, cut at 4 sigma, pixels at the border repeated.
#include "leeway/shift/corruption.h"
#include "leeway/shift/detail/filter.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> gaussian_blur_sigmas{{
    {.4, .6, .7, .8, 1},
    {.5, .75, 1, 1.25, 1.5},
    {1, 2, 3, 4, 6},
}};

void change_by_gaussian_blur(const CorruptedPicture& picture, const CorruptionSetting& setting, Random&) {
  const double sigma = setting.of(gaussian_blur_sigmas) * setting.scale.lengths;
  for (std::size_t c = 0; c < picture.channels; ++c)
    gaussian_filter(picture.plane(c), picture.height, picture.width, sigma);
}

}  // namespace

Corruption corrupt_gaussian_blur() {
  return {{"gaussian-blur", "convolution with a Gaussian", benchmark_paper},
          CorruptionGroup::extra,
          change_by_gaussian_blur};
}

}  // namespace leeway::shift
