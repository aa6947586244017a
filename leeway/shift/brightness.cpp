// x' = clip(x + b, 0, 1), the same b for every pixel and channel.
//
// Source: exposure as in Hendrycks and Dietterich, ICLR 2019 (severities .1 to .5); there b is added to the
// value channel of HSV, here to the pixels, so that pictures of any number of channels are served and grey
// ones agree with theirs.
#include <algorithm>

#include "leeway/shift/family.h"

namespace leeway::shift {
namespace {

Shifted apply(const Images& images, const Options& options, Progress* progress) {
  check_strength(brightness(), options.strength);
  return change_pictures(images, "brightness", progress, [&](std::size_t, std::span<float> picture) {
    for (float& x : picture) x = static_cast<float>(std::clamp(x + options.strength, 0., 1.));
  });
}

}  // namespace

Member brightness() {
  return {.name = "brightness",
          .summary = "a constant added to every pixel, clipped to [0,1]",
          .strength = "what is added, pixels in [0,1]",
          .default_strength = .2,
          .low = -1,
          .high = 1,
          .identity = 0,
          .selects_rows = false,
          .apply = apply};
}

}  // namespace leeway::shift
