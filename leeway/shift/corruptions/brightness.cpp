// The value V = max(R, G, B) becomes min(V + c, 1) at the same hue and saturation, which is x' = x min(V + c, 1) / V for every
// channel; black becomes grey c. Grey pictures: x' = x + c.
#include <algorithm>

#include "leeway/shift/corruption.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> added{{
    {.05, .1, .15, .2, .3},
    {.1, .2, .3, .4, .5},
    {.1, .2, .3, .4, .5},
}};

void change_by_brightness(const CorruptedPicture& picture, const CorruptionSetting& setting, Random&) {
  const double c = setting.of(added);
  if (picture.channels == 1) {
    for (float& x : picture.values) x = static_cast<float>(x + c);  // clipped afterwards, as everything is
    return;
  }
  const auto red = picture.plane(0), green = picture.plane(1), blue = picture.plane(2);
  for (std::size_t i = 0; i < red.size(); ++i) {
    const double value = std::max({red[i], green[i], blue[i]}), wanted = std::min(value + c, 1.);
    for (float* x : {&red[i], &green[i], &blue[i]})
      *x = static_cast<float>(value == 0 ? wanted : *x * (wanted / value));
  }
}

}  // namespace

Corruption corrupt_brightness() {
  return {{"brightness", "add a constant to the HSV value of every pixel", benchmark_paper},
          CorruptionGroup::weather,
          change_by_brightness};
}

}  // namespace leeway::shift
