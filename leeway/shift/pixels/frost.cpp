// x' = a x + b F, F a crop in [0,1] of a uniformly chosen picture of frost (frost_pictures.h), scaled (cifar
// .2, tiny .3, imagenet 1, times the set's lengths; more if too small to cover the image) by bilinear
// interpolation between pixel centers without antialiasing, at a place uniform over 0 .. scaled side - side -
// 1 of each axis. Draws: picture, row, column. Gray pictures use .2989 R + .587 G + .114 B. The authors'
// programs use their own six pictures, of which one is never drawn and two are the same.
#include <algorithm>
#include <cmath>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct FrostConstants {
  double picture = 0, frost = 0;
};

constexpr std::array<std::array<FrostConstants, 5>, 3> weights{{
    {{{1, .2}, {1, .3}, {.9, .4}, {.85, .4}, {.75, .45}}},
    {{{1, .3}, {.9, .4}, {.8, .45}, {.75, .5}, {.7, .55}}},
    {{{1, .4}, {.8, .6}, {.7, .7}, {.65, .7}, {.6, .75}}},
}};
constexpr std::array<double, 3> scales{.2, .3, 1};
constexpr std::array<double, 3> grey{.2989, .587, .114};

// Where a pixel of the scaled picture is read on one axis of `side` pixels.
struct FrostTap {
  std::size_t low = 0, high = 0;
  double weight = 0;  // of `high`
};

void find_taps(std::vector<FrostTap>& taps, std::size_t begin, std::size_t count, double scale,
               std::size_t side) {
  taps.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double place =
        std::clamp((static_cast<double>(begin + i) + .5) / scale - .5, 0., static_cast<double>(side - 1));
    const auto low = static_cast<std::size_t>(place);
    taps[i] = {low, std::min(low + 1, side - 1), place - static_cast<double>(low)};
  }
}

std::size_t draw_offset(double scale, std::size_t stored, std::size_t side, Random& random) {
  const auto scaled = static_cast<std::size_t>(std::nearbyint(scale * static_cast<double>(stored)));
  return static_cast<std::size_t>(random.below(scaled > side ? scaled - side : 1));
}

void change_by_frost(const Picture& picture, const Setting& setting, Random& random) {
  const FrostConstants& weight = setting.of(weights);
  const auto& pool = *setting.frost;
  const FrostPicture& frost = pool[static_cast<std::size_t>(random.below(pool.size()))];
  const double scale =
      std::max({scales[static_cast<std::size_t>(setting.scale.set) - 1] * setting.scale.lengths,
                static_cast<double>(picture.height) / static_cast<double>(frost.height),
                static_cast<double>(picture.width) / static_cast<double>(frost.width)});
  thread_local std::vector<FrostTap> rows, columns;
  find_taps(rows, draw_offset(scale, frost.height, picture.height, random), picture.height, scale,
            frost.height);
  find_taps(columns, draw_offset(scale, frost.width, picture.width, random), picture.width, scale,
            frost.width);
  for (float& x : picture.values) x = static_cast<float>(x * weight.picture);
  const std::size_t area = frost.height * frost.width;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const auto plane = picture.plane(picture.channels == 1 ? 0 : channel);
    const double share = weight.frost / 255 * (picture.channels == 1 ? grey[channel] : 1);
    const std::uint8_t* const levels = frost.levels.data() + channel * area;
    for (std::size_t y = 0; y < rows.size(); ++y) {
      const std::uint8_t* const upper = levels + rows[y].low * frost.width;
      const std::uint8_t* const lower = levels + rows[y].high * frost.width;
      const double down = rows[y].weight;
      for (std::size_t x = 0; x < columns.size(); ++x) {
        const FrostTap& tap = columns[x];
        const double above = upper[tap.low] + tap.weight * (upper[tap.high] - upper[tap.low]),
                     below = lower[tap.low] + tap.weight * (lower[tap.high] - lower[tap.low]);
        float& value = plane[y * picture.width + x];
        value = static_cast<float>(value + share * (above + down * (below - above)));
      }
    }
  }
}

}  // namespace

Member frost() {
  Member member{
      {"frost", "a crop of a frost image laid over the image", benchmark_paper}, "weather", change_by_frost};
  member.takes_frost = true;
  return member;
}

}  // namespace leeway::shift
