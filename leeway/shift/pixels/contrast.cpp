// x' = clip(m + c (x - m), 0, 1), m the mean of the picture's channel: c = 1 is the identity, c > 1 sharpens.
#include <algorithm>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> contrast_factors{{
    {.75, .5, .4, .3, .15},
    {.4, .3, .2, .1, .05},
    {.4, .3, .2, .1, .05},
}};

void change_by_contrast(const Picture& picture, const Setting& setting, Random&) {
  const double c = setting.severity > 0 ? setting.of(contrast_factors) : setting.strength;
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    const auto plane = picture.plane(channel);
    double mean = 0;
    for (const float x : plane) mean += x;
    mean /= static_cast<double>(plane.size());
    // in double, so that c = 1 rounds back to x itself
    for (float& x : plane) x = static_cast<float>(std::clamp(mean + c * (x - mean), 0., 1.));
  }
}

}  // namespace

Member contrast() {
  return {{"contrast",
           "scale the distance of every pixel from the channel mean",
           benchmark_paper,
           {{"strength", .4, 0, 10, "factor; 1 = unchanged, 0 = flat"}}},
          "digital",
          change_by_contrast,
          change_by_contrast};
}

}  // namespace leeway::shift
