// Gaussian blur, truncated to whole levels; then, `passes` times, every pixel except near the border is
// exchanged with one at a random offset (right, down: uniform integers from -delta to delta - 1); then
// blurred again. Pixels are visited from last to first, in place, so values can travel.
//
// In color pictures both pixels get the partner's value, as in the published sets, whose program assigns two
// views of one array to each other; gray pixels are exchanged, as in that program. Draws: per pass and
// visited pixel the offset right, then down, shared by all channels.
#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/shift/detail/filter.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct GlassBlurConstants {
  double sigma = 0, delta = 0;
  int passes = 0;
};
constexpr std::array<std::array<GlassBlurConstants, 5>, 3> glass_blur_constants{{
    {{{.05, 1, 1}, {.25, 1, 1}, {.4, 1, 1}, {.25, 1, 2}, {.4, 1, 2}}},
    {{{.1, 1, 1}, {.5, 1, 1}, {.6, 1, 2}, {.7, 2, 1}, {.9, 2, 2}}},
    {{{.7, 1, 2}, {.9, 2, 1}, {1, 2, 3}, {1.1, 3, 2}, {1.5, 4, 2}}},
}};

void blur(const Picture& picture, double sigma) {
  for (std::size_t c = 0; c < picture.channels; ++c)
    gaussian_filter(picture.plane(c), picture.height, picture.width, sigma);
}

// One pass over the pixels but those near the border, from the last to the first: each meets the one moves[i] = down * width + right
// places after it.
void exchange_pixels(const Picture& picture, std::size_t delta, std::span<const std::ptrdiff_t> moves) {
  const bool swap = picture.channels == 1;
  for (std::size_t c = 0; c < picture.channels; ++c) {
    const std::ptrdiff_t* move = moves.data();
    float* const plane = picture.plane(c).data();
    for (std::size_t y = picture.height - delta; y > delta; --y)
      for (std::size_t x = picture.width - delta; x > delta; --x, ++move) {
        float* const pixel = plane + y * picture.width + x;
        float* const partner = pixel + *move;
        const float value = *pixel;
        *pixel = *partner;
        if (swap) *partner = value;
      }
  }
}

void change_by_glass_blur(const Picture& picture, const Setting& setting, Random& random) {
  thread_local std::vector<std::ptrdiff_t> moves;
  const GlassBlurConstants& own = setting.of(glass_blur_constants);
  const double sigma = own.sigma * setting.scale.lengths;
  const auto delta =
      static_cast<std::size_t>(std::max(1., std::floor(own.delta * setting.scale.lengths + .5)));
  const auto visited = [&](std::size_t side) { return side > 2 * delta ? side - 2 * delta : 0; };
  blur(picture, sigma);
  // a flat area stays as it is where rounding left it just below its level
  for (float& x : picture.values) x = static_cast<float>(static_cast<int>(x * 255 + 1.f / 1024)) / 255;
  moves.resize(visited(picture.height) * visited(picture.width));
  for (int pass = 0; pass < own.passes && !moves.empty(); ++pass) {
    const auto draw = [&] {
      return static_cast<std::ptrdiff_t>(random.below(2 * delta)) - static_cast<std::ptrdiff_t>(delta);
    };
    for (std::ptrdiff_t& move : moves) {
      const std::ptrdiff_t right = draw();
      move = draw() * static_cast<std::ptrdiff_t>(picture.width) + right;
    }
    exchange_pixels(picture, delta, moves);
  }
  blur(picture, sigma);
}

}  // namespace

Member glass_blur() {
  return {{"glass-blur", "neighboring pixels swapped between two blurs", benchmark_paper},
          "blur",
          change_by_glass_blur};
}

}  // namespace leeway::shift
