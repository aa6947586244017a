// x' = (x + weight P) m / (m + weight), m the largest value of the picture and P a plasma map in [0,1] (detail/plasma.h), the same
// for all channels: its upper left part, of the smallest map whose side is a power of two (at least 2) that covers the picture.
//
// Source: Hendrycks and Dietterich, ICLR 2019; constants of the authors' programs.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "leeway/core/message.h"
#include "leeway/shift/corruption.h"
#include "leeway/shift/detail/plasma.h"

namespace leeway::shift {
namespace {

struct Constants {
  double weight = 0, decay = 0;
};

constexpr std::array<std::array<Constants, 5>, 3> constants{{
    {{{.2, 3}, {.5, 3}, {.75, 2.5}, {1, 2}, {1.5, 1.75}}},
    {{{.4, 3}, {.7, 3}, {1, 2.5}, {1.5, 2}, {2, 1.75}}},
    {{{1.5, 2}, {2, 2}, {2.5, 1.7}, {2.5, 1.5}, {3, 1.4}}},
}};

void change(const CorruptedPicture& picture, const CorruptionSetting& setting, Random& random) {
  const Constants& c = setting.of(constants);
  constexpr std::size_t longest = 8192;  // its map has 0.5 GB
  if (std::max(picture.height, picture.width) > longest)
    refuse("corruption fog", fmt::format("sides of at most {} pixels", longest),
           fmt::format("{} x {}", picture.height, picture.width));
  const std::size_t side = std::bit_ceil(std::max({picture.height, picture.width, std::size_t{2}}));
  const std::vector<double> plasma = plasma_map(side, c.decay, [&] { return 2 * random.uniform() - 1; });
  const double most = *std::max_element(picture.values.begin(), picture.values.end());
  const double factor = most / (most + c.weight);
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    const auto plane = picture.plane(channel);
    for (std::size_t y = 0; y < picture.height; ++y)
      for (std::size_t x = 0; x < picture.width; ++x) {
        float& value = plane[y * picture.width + x];
        value = static_cast<float>((value + c.weight * plasma[y * side + x]) * factor);
      }
  }
}

}  // namespace

Corruption corrupt_fog() {
  return {{"fog", "a plasma map laid over the picture", "Hendrycks and Dietterich, ICLR 2019"},
          CorruptionGroup::weather,
          change};
}

}  // namespace leeway::shift
