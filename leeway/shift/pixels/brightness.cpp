// x' = clip(x + b, 0, 1), the same b for every pixel and channel.
//
// Source: Hendrycks and Dietterich, ICLR 2019 (severities .1 to .5), who add b to the value channel of HSV;
// here b is added to the pixels, which works for any number of channels and agrees with theirs for gray.
#include <algorithm>

#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

Shifted shift_by_brightness(const Images& images, const Options& options, Progress* progress) {
  return change_pictures(images, "brightness", progress, [&](std::size_t, std::span<float> picture) {
    for (float& x : picture) x = static_cast<float>(std::clamp(x + options.strength, 0., 1.));
  });
}

}  // namespace

Member brightness() {
  return {{"brightness",
           "add a constant to every pixel, clipped to [0,1]",
           "Hendrycks and Dietterich, ICLR 2019",
           {{"strength", .2, -1, 1, "constant to add, pixels in [0,1]"}}},
          0,
          shift_by_brightness};
}

}  // namespace leeway::shift
