// x' = m + c (x - m), m the mean of the picture's channel.
#include "leeway/shift/corruption.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> contrast_factors{{
    {.75, .5, .4, .3, .15},
    {.4, .3, .2, .1, .05},
    {.4, .3, .2, .1, .05},
}};

void change_by_contrast(const CorruptedPicture& picture, const CorruptionSetting& setting, Random&) {
  const double c = setting.of(contrast_factors);
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    const auto plane = picture.plane(channel);
    double mean = 0;
    for (const float x : plane) mean += x;
    mean /= static_cast<double>(plane.size());
    for (float& x : plane) x = static_cast<float>(mean + c * (x - mean));
  }
}

}  // namespace

Corruption corrupt_contrast() {
  return {{"contrast", "scale the distance of every pixel from the channel mean", benchmark_paper},
          CorruptionGroup::digital,
          change_by_contrast};
}

}  // namespace leeway::shift
