// x'_p = clip(x_p + sigma z_p, 0, 1), z_p standard normal, independent for every pixel and channel, the same
// at every sigma. Source: Hendrycks and Dietterich, "Benchmarking neural network robustness to common
// corruptions and perturbations", ICLR 2019, whose severities are sigma = .08, .12, .18, .26, .38.
#include <algorithm>

#include "leeway/core/random.h"
#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

Shifted shift_by_gaussian_noise(const Images& images, const Options& options, Progress* progress) {
  return change_pictures(images, "gaussian-noise", progress, [&](std::size_t row, std::span<float> picture) {
    Random random(options.seed, stream("gaussian-noise"), row);
    for (float& x : picture)
      x = static_cast<float>(std::clamp(x + options.strength * random.normal(), 0., 1.));
  });
}

}  // namespace

Member gaussian_noise() {
  return {{"gaussian-noise",
           "independent normal noise on every pixel, clipped to [0,1]",
           "Hendrycks and Dietterich, ICLR 2019",
           {{"strength", .1, 0, 10, "standard deviation, pixels in [0,1]"}}},
          0,
          shift_by_gaussian_noise};
}

}  // namespace leeway::shift
