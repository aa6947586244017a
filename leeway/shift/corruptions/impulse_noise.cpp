// With probability `amount` a value becomes 0 or 1, either with the same chance: every channel of a pixel by itself, so that
// pictures in colour get coloured dots.
//
// One random word w a value: 0 where w < 2^32 amount / 2, 1 where it is as near to the other end. What one severity hits, the
// stronger ones of its set hit too, and in the same way.
//
// Source: Hendrycks and Dietterich, ICLR 2019; constants of the authors' programs.
#include <cmath>

#include "leeway/shift/corruption.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> amounts{{
    {.01, .02, .03, .05, .07},
    {.01, .02, .05, .08, .14},
    {.03, .06, .09, .17, .27},
}};

void change_by_impulse_noise(const CorruptedPicture& picture, const CorruptionSetting& setting,
                             Random& random) {
  const auto half = static_cast<std::uint32_t>(std::llround(setting.of(amounts) / 2 * 0x1p32));
  for (float& x : picture.values) {
    const std::uint32_t word = random.bits();
    if (word < half) x = 0;
    if (~word < half) x = 1;
  }
}

}  // namespace

Corruption corrupt_impulse_noise() {
  return {{"impulse-noise", "single values become black or white", "Hendrycks and Dietterich, ICLR 2019"},
          CorruptionGroup::noise,
          change_by_impulse_noise};
}

}  // namespace leeway::shift
