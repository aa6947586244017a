// With probability `amount` a value becomes 0 or 1 with equal chances, each channel independently.
//
// One random word w per value: 0 if w < 2^32 amount / 2, 1 if equally near to the other end. Values hit at
// one severity are hit equally at all stronger ones of its set.
#include <cmath>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> amounts{{
    {.01, .02, .03, .05, .07},
    {.01, .02, .05, .08, .14},
    {.03, .06, .09, .17, .27},
}};

void change_by_impulse_noise(const Picture& picture, const Setting& setting, Random& random) {
  const auto half = static_cast<std::uint32_t>(std::llround(setting.of(amounts) / 2 * 0x1p32));
  for (float& x : picture.values) {
    const std::uint32_t word = random.bits();
    if (word < half) x = 0;
    if (~word < half) x = 1;
  }
}

}  // namespace

Member impulse_noise() {
  return {{"impulse-noise", "individual pixel values set to black or white", benchmark_paper},
          "noise",
          change_by_impulse_noise};
}

}  // namespace leeway::shift
