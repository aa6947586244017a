// x' = clip(x + sigma z, 0, 1), z standard normal, independent for every pixel and channel, the same at every
// sigma. Severities draw other numbers z than strengths, five times as fast (detail/normals.h).
#include <algorithm>
#include <vector>

#include "leeway/shift/detail/normals.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> gaussian_noise_sigmas{{
    {.04, .06, .08, .09, .10},
    {.04, .08, .12, .15, .18},
    {.08, .12, .18, .26, .38},
}};

void add_noise(const Picture& picture, const Setting& setting, Random& random) {
  for (float& x : picture.values)
    x = static_cast<float>(std::clamp(x + setting.strength * random.normal(), 0., 1.));
}

void change_by_gaussian_noise(const Picture& picture, const Setting& setting, Random& random) {
  thread_local std::vector<float> z;
  const auto sigma = static_cast<float>(setting.of(gaussian_noise_sigmas));
  z.resize(picture.values.size());
  draw_normals(random, z);
  for (std::size_t i = 0; i < z.size(); ++i) picture.values[i] += sigma * z[i];
}

}  // namespace

Member gaussian_noise() {
  return {{"gaussian-noise",
           "independent normal noise on every pixel, clipped to [0,1]",
           benchmark_paper,
           {{"strength", .1, 0, 10, "standard deviation, pixels in [0,1]"}}},
          "noise",
          change_by_gaussian_noise,
          add_noise};
}

}  // namespace leeway::shift
