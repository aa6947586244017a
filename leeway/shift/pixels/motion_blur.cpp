// One-sided Gaussian weights along a line of random direction (-45 to 45 degrees), like camera motion,
// rounded to levels. The picture also shifts by the mean of the weights' places. The authors' programs call
// ImageMagick.
#include "leeway/shift/detail/filter.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct MotionBlurConstants {
  double radius = 0, sigma = 0;
};
constexpr std::array<std::array<MotionBlurConstants, 5>, 3> motion_blur_constants{{
    {{{6, 1}, {6, 1.5}, {6, 2}, {8, 2}, {9, 2.5}}},
    {{{10, 1}, {10, 1.5}, {10, 2}, {10, 2.5}, {12, 3}}},
    {{{10, 3}, {15, 5}, {15, 8}, {15, 12}, {20, 15}}},
}};

void change_by_motion_blur(const Picture& picture, const Setting& setting, Random& random) {
  const MotionBlurConstants& own = setting.of(motion_blur_constants);
  const double scale = setting.scale.lengths, angle = 90 * random.uniform() - 45;
  for (std::size_t c = 0; c < picture.channels; ++c)
    motion_filter(picture.plane(c), picture.height, picture.width, own.radius * scale, own.sigma * scale,
                  angle);
}

}  // namespace

Member motion_blur() {
  return {{"motion-blur", "one-sided blur along a random direction", benchmark_paper},
          "blur",
          change_by_motion_blur};
}

}  // namespace leeway::shift
