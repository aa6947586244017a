// A layer L: N(mean, sd) for every pixel under a Gaussian filter of sigma, values below the threshold 0.
// Water: L truncated to 8-bit levels; D the distance to its edges (Canny, thresholds 50 and 150), at most 20,
// its 3x3 mean truncated, equalized, correlated with (-2 -1 0; -1 1 1; 0 1 2) and clipped, its
// rounded 3x3 mean (detail/level_planes.h). m = strength L D / max(L D), x' = x + m (175, 238, 238) / 255. If L D is 0
// everywhere the picture stays (the authors' programs divide by 0 and return black: Variant::published).
//
// Mud: m is 1 where L is above the threshold and else 0, under a Gaussian filter of sigma = strength, values
// below .8 are 0; x' = (1 - m) x + m (63, 42, 20) / 255. Gray pictures use .2989 R + .587 G + .114 B of the
// colors. Draws: the layer. Lengths: both sigmas. An extra corruption.
#include <algorithm>

#include "leeway/shift/detail/filter.h"
#include "leeway/shift/detail/level_planes.h"
#include "leeway/shift/detail/normals.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

struct SpatterConstants {
  double mean = 0, sd = 0, sigma = 0, threshold = 0, strength = 0;
  bool mud = false;
};

constexpr std::array<std::array<SpatterConstants, 5>, 3> spatter_constants{{
    {{{.62, .1, .7, .7, .5, false},
      {.65, .1, .8, .7, .5, false},
      {.65, .3, 1, .69, .5, false},
      {.65, .1, .7, .69, .6, true},
      {.65, .1, .5, .68, .6, true}}},
    {{{.62, .1, .7, .7, .6, false},
      {.65, .1, .8, .7, .6, false},
      {.65, .3, 1, .69, .6, false},
      {.65, .1, .7, .68, .6, true},
      {.65, .1, .5, .67, .6, true}}},
    {{{.65, .3, 4, .69, .6, false},
      {.65, .3, 3, .68, .6, false},
      {.65, .3, 2, .68, .5, false},
      {.65, .3, 1, .65, 1.5, true},
      {.67, .4, 1, .65, 1.5, true}}},
}};

constexpr std::array<double, 3> water{175. / 255, 238. / 255, 238. / 255},
    mud{63. / 255, 42. / 255, 20. / 255};

double colour_of(const std::array<double, 3>& colour, std::size_t channels, std::size_t channel) {
  return channels == 3 ? colour[channel] : .2989 * colour[0] + .587 * colour[1] + .114 * colour[2];
}

constexpr std::array<float, 9> ones{1, 1, 1, 1, 1, 1, 1, 1, 1}, emboss{-2, -1, 0, -1, 1, 1, 0, 1, 2};

// False where no drop falls.
bool add_water(const Picture& picture, std::span<const float> layer, double strength) {
  const std::size_t height = picture.height, width = picture.width, area = picture.area();
  thread_local std::vector<std::uint8_t> levels, edges, depth;
  thread_local std::vector<float> distances;
  levels.resize(area);
  for (std::size_t i = 0; i < area; ++i)
    levels[i] = static_cast<std::uint8_t>(std::clamp(layer[i], 0.f, 1.f) * 255);
  if (std::all_of(levels.begin(), levels.end(), [](std::uint8_t level) { return level == 0; })) return false;
  canny_edges(levels, height, width, 50, 150, edges);
  chamfer_distance(edges, height, width, 20, distances);
  // all sums are exact: multiples of 1/65536 up to 180, then whole levels
  correlate(distances, height, width, ones, 3);
  depth.resize(area);
  for (std::size_t i = 0; i < area; ++i)
    depth[i] = static_cast<std::uint8_t>(static_cast<double>(distances[i]) / 9);
  equalize_levels(depth);
  std::ranges::copy(depth, distances.begin());
  correlate(distances, height, width, emboss, 3);
  for (float& value : distances) value = std::clamp(value, 0.f, 255.f);
  correlate(distances, height, width, ones, 3);
  for (std::size_t i = 0; i < area; ++i)
    depth[i] = static_cast<std::uint8_t>((2 * static_cast<int>(distances[i]) + 9) / 18);
  int most = 0;
  for (std::size_t i = 0; i < area; ++i) most = std::max(most, levels[i] * depth[i]);
  if (most == 0) return false;
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    const auto plane = picture.plane(channel);
    const double factor = strength / most * colour_of(water, picture.channels, channel);
    for (std::size_t i = 0; i < area; ++i)
      plane[i] = static_cast<float>(plane[i] + factor * (levels[i] * depth[i]));
  }
  return true;
}

void add_mud(const Picture& picture, std::span<float> layer, double threshold, double sigma) {
  for (float& value : layer) value = value > threshold ? 1.f : 0.f;
  gaussian_filter(layer, picture.height, picture.width, sigma);
  for (std::size_t channel = 0; channel < picture.channels; ++channel) {
    const auto plane = picture.plane(channel);
    const double colour = colour_of(mud, picture.channels, channel);
    for (std::size_t i = 0; i < plane.size(); ++i)
      if (layer[i] >= .8f) plane[i] = static_cast<float>(plane[i] + layer[i] * (colour - plane[i]));
  }
}

void change_by_spatter(const Picture& picture, const Setting& setting, Random& random) {
  const SpatterConstants& c = setting.of(spatter_constants);
  const double lengths = setting.scale.lengths;
  thread_local std::vector<float> layer;
  layer.resize(picture.area());
  draw_normals(random, layer);
  for (float& value : layer) value = static_cast<float>(c.mean + c.sd * value);
  gaussian_filter(layer, picture.height, picture.width, c.sigma * lengths);
  if (c.mud) return add_mud(picture, layer, c.threshold, c.strength * lengths);
  const auto threshold = static_cast<float>(c.threshold);
  for (float& value : layer)
    if (value < threshold) value = 0;
  if (!add_water(picture, layer, c.strength) && setting.variant == Variant::published)
    std::ranges::fill(picture.values, 0.f);
}

}  // namespace

Member spatter() {
  return {{"spatter", "splashes of water (severities 1 to 3) or mud (4 and 5)", benchmark_paper},
          "extra",
          change_by_spatter};
}

}  // namespace leeway::shift
