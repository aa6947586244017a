// The saturation S = (V - min(R, G, B)) / V becomes S' = clip(mul S + add, 0, 1) at the same hue and value V, which is
// x' = V - (V - x) S' / S for every channel. Where S = 0 the hue counts as 0 (red): x' = (V, V (1 - S'), V (1 - S')), so that
// add > 0 tints grey pixels, as in the authors' programs. A picture of one channel has no saturation and stays.
//
// Source: Hendrycks and Dietterich, ICLR 2019, extra corruption; constants of the authors' programs.
#include "leeway/shift/corruption.h"
#include "leeway/shift/detail/hsv.h"

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

void change_by_saturate(const CorruptedPicture& picture, const CorruptionSetting& setting, Random&) {
  if (picture.channels == 1) return;
  const SaturateConstants& c = setting.of(saturate_constants);
  const auto red = picture.plane(0), green = picture.plane(1), blue = picture.plane(2);
  for (std::size_t i = 0; i < red.size(); ++i) {
    const Colour colour = with_saturation({red[i], green[i], blue[i]}, c.mul, c.add);
    red[i] = static_cast<float>(colour[0]);
    green[i] = static_cast<float>(colour[1]);
    blue[i] = static_cast<float>(colour[2]);
  }
}

}  // namespace

Corruption corrupt_saturate() {
  return {{"saturate", "the saturation (HSV) of every pixel scaled and shifted",
           "Hendrycks and Dietterich, ICLR 2019"},
          CorruptionGroup::extra,
          change_by_saturate,
          nullptr,
          false};
}

}  // namespace leeway::shift
