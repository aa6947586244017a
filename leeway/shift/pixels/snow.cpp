// A layer of flakes L: N(mean, sd) for every pixel, its middle enlarged by `zoom` (at least 1), values below the threshold 0,
// clipped to [0,1], to 8-bit levels without fractions, blurred one-sidedly by motion (radius, sigma) at an angle U(-135, -45)
// degrees. Then x' = mix x + (1 - mix) max(x, 1.5 g + .5) + L + L turned by 180 degrees, g = .299 R + .587 G + .114 B, or x itself in grey.
// Draws: the layer, the angle. Lengths: zoom, radius, sigma.
#include <algorithm>
#include <cmath>

#include "leeway/shift/detail/filter.h"
#include "leeway/shift/detail/normals.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct SnowConstants {
  double mean = 0, sd = 0, zoom = 0, threshold = 0, radius = 0, sigma = 0, mix = 0;
};

constexpr std::array<std::array<SnowConstants, 5>, 3> snow_constants{{
    {{{.1, .2, 1, .6, 8, 3, .95},
      {.1, .2, 1, .5, 10, 4, .9},
      {.15, .3, 1.75, .55, 10, 4, .9},
      {.25, .3, 2.25, .6, 12, 6, .85},
      {.3, .3, 1.25, .65, 14, 12, .8}}},
    {{{.1, .2, 1, .6, 8, 3, .8},
      {.1, .2, 1, .5, 10, 4, .8},
      {.15, .3, 1.75, .55, 10, 4, .7},
      {.25, .3, 2.25, .6, 12, 6, .65},
      {.3, .3, 1.25, .65, 14, 12, .6}}},
    {{{.1, .3, 3, .5, 10, 4, .8},
      {.2, .3, 2, .5, 12, 4, .7},
      {.55, .3, 4, .9, 12, 8, .7},
      {.55, .3, 4.5, .85, 12, 8, .65},
      {.55, .3, 2.5, .85, 12, 12, .55}}},
}};

void change_by_snow(const Picture& picture, const Setting& setting, Random& random) {
  const SnowConstants& c = setting.of(snow_constants);
  const double lengths = setting.scale.lengths;
  const std::size_t height = picture.height, width = picture.width, area = picture.area();
  thread_local std::vector<float> drawn, layer;
  drawn.resize(area);
  layer.resize(area);
  draw_normals(random, drawn);
  for (float& value : drawn) value = static_cast<float>(c.mean + c.sd * value);
  const double angle = -135 + 90 * random.uniform();
  zoom_middle(drawn, height, width, std::max(1., c.zoom * lengths), layer);
  const auto threshold = static_cast<float>(c.threshold);
  for (float& value : layer)
    value = value < threshold ? 0.f : std::floor(std::clamp(value, 0.f, 1.f) * 255) / 255;
  motion_filter(layer, height, width, c.radius * lengths, c.sigma * lengths, angle);
  const auto mix = static_cast<float>(c.mix);
  for (std::size_t i = 0; i < area; ++i) {
    const float flakes = layer[i] + layer[area - 1 - i];
    const float grey = picture.channels == 1 ? picture.values[i]
                                             : .299f * picture.values[i] + .587f * picture.values[area + i] +
                                                   .114f * picture.values[2 * area + i];
    const float whitened = 1.5f * grey + .5f;
    for (std::size_t channel = 0; channel < picture.channels; ++channel) {
      float& x = picture.values[channel * area + i];
      x = mix * x + (1 - mix) * std::max(x, whitened) + flakes;
    }
  }
}

}  // namespace

Member snow() {
  return {{"snow", "motion-blurred flakes on a whitened image", benchmark_paper}, "weather", change_by_snow};
}

}  // namespace leeway::shift
