// By a strength: x' = clip(x + b, 0, 1), the same b for every pixel and channel.
//
// By a severity: the value V = max(R, G, B) becomes min(V + c, 1) at the same hue and saturation, which is x' = x min(V + c, 1) / V
// for every channel; black becomes grey c. Grey pictures: x' = x + c, as by a strength.
#include <algorithm>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> added{{
    {.05, .1, .15, .2, .3},
    {.1, .2, .3, .4, .5},
    {.1, .2, .3, .4, .5},
}};

void add_to(std::span<float> values, double b) {
  for (float& x : values) x = static_cast<float>(std::clamp(x + b, 0., 1.));
}

void add_strength(const Picture& picture, const Setting& setting, Random&) {
  add_to(picture.values, setting.strength);
}

void change_by_brightness(const Picture& picture, const Setting& setting, Random&) {
  const double c = setting.of(added);
  if (picture.channels == 1) return add_to(picture.values, c);
  const auto red = picture.plane(0), green = picture.plane(1), blue = picture.plane(2);
  for (std::size_t i = 0; i < red.size(); ++i) {
    const double value = std::max({red[i], green[i], blue[i]}), wanted = std::min(value + c, 1.);
    for (float* x : {&red[i], &green[i], &blue[i]})
      *x = static_cast<float>(value == 0 ? wanted : *x * (wanted / value));
  }
}

}  // namespace

Member brightness() {
  return {{"brightness",
           "add a constant to every pixel, clipped to [0,1]; with a severity, to its HSV value",
           benchmark_paper,
           {{"strength", .2, -1, 1, "constant to add, pixels in [0,1]"}}},
          "weather",
          change_by_brightness,
          add_strength};
}

}  // namespace leeway::shift
