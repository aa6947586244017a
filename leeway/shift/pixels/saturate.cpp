// The saturation S = (V - min(R, G, B)) / V becomes S' = clip(mul S + add, 0, 1) at the same hue and value V:
// x' = V - (V - x) S' / S for every channel. If S = 0 the hue counts as 0 (red), x' = (V, V (1 - S'), V (1 -
// S')), so add > 0 tints gray pixels, as in the authors' programs. Single-channel pictures stay. An extra
// corruption.
#include <algorithm>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct SaturateConstants {
  double mul = 0, add = 0;
};

constexpr std::array<std::array<SaturateConstants, 5>, 3> saturate_constants{{
    {{{.3, 0}, {.1, 0}, {1.5, 0}, {2, .1}, {2.5, .2}}},
    {{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {30, .2}}},
    {{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {20, .2}}},
}};

void change_by_saturate(const Picture& picture, const Setting& setting, Random&) {
  if (picture.channels == 1) return;
  const SaturateConstants& c = setting.of(saturate_constants);
  const auto red = picture.plane(0), green = picture.plane(1), blue = picture.plane(2);
  for (std::size_t i = 0; i < red.size(); ++i) {
    const double value = std::max({red[i], green[i], blue[i]});
    const double range = value - std::min({red[i], green[i], blue[i]});
    if (range == 0) {
      green[i] = blue[i] = static_cast<float>(value * (1 - std::clamp(c.add, 0., 1.)));
      continue;
    }
    const double saturation = range / value;
    const double factor = std::clamp(saturation * c.mul + c.add, 0., 1.) / saturation;
    for (float* x : {&red[i], &green[i], &blue[i]}) *x = static_cast<float>(value - (value - *x) * factor);
  }
}

}  // namespace

Member saturate() {
  Member member{{"saturate", "scale and shift the HSV saturation of every pixel", benchmark_paper},
                "extra",
                change_by_saturate};
  member.on_grey = false;
  return member;
}

}  // namespace leeway::shift
