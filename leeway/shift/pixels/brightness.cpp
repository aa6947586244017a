// x' = clip(x + b, 0, 1), the same b for every pixel and channel.
//
// Source: exposure as in Hendrycks and Dietterich, ICLR 2019 (severities .1 to .5); there b is added to the
// value channel of HSV, here to the pixels, so that pictures of any number of channels are served and grey
// ones agree with theirs.
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
           "a constant added to every pixel, clipped to [0,1]",
           "Hendrycks and Dietterich, ICLR 2019",
           {{"strength", .2, -1, 1, "what is added, pixels in [0,1]"}}},
          0,
          shift_by_brightness};
}

}  // namespace leeway::shift
