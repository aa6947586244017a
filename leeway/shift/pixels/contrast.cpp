// x' = clip(m + c (x - m), 0, 1), m the mean of the picture's channel: c = 1 is the identity, c > 1 sharpens.
//
// Source: Hendrycks and Dietterich, ICLR 2019, whose severities are c = .4, .3, .2, .1, .05 (for ImageNet).
#include <algorithm>

#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

Shifted shift_by_contrast(const Images& images, const Options& options, Progress* progress) {
  return change_channels(images, "contrast", progress, [&](std::span<float> channel) {
    double mean = 0;
    for (const float x : channel) mean += x;
    mean /= static_cast<double>(channel.size());
    // in double, so that c = 1 rounds back to x itself
    for (float& x : channel) x = static_cast<float>(std::clamp(mean + options.strength * (x - mean), 0., 1.));
  });
}

}  // namespace

Member contrast() {
  return {{"contrast",
           "scale the distance of every pixel from the channel mean",
           "Hendrycks and Dietterich, ICLR 2019",
           {{"strength", .4, 0, 10, "factor; 1 = unchanged, 0 = flat"}}},
          1,
          shift_by_contrast};
}

}  // namespace leeway::shift
