// x' = x + x sigma z, z standard normal, independent for every pixel and channel.
#include <vector>

#include "leeway/shift/detail/normals.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> speckle_noise_sigmas{{
    {.06, .1, .12, .16, .2},
    {.15, .2, .25, .3, .35},
    {.15, .2, .35, .45, .6},
}};

void change_by_speckle_noise(const Picture& picture, const Setting& setting, Random& random) {
  thread_local std::vector<float> z;
  const auto sigma = static_cast<float>(setting.of(speckle_noise_sigmas));
  z.resize(picture.values.size());
  draw_normals(random, z);
  for (std::size_t i = 0; i < z.size(); ++i) picture.values[i] += picture.values[i] * sigma * z[i];
}

}  // namespace

Member speckle_noise() {
  return {{"speckle-noise", "normal noise proportional to the pixel value", benchmark_paper},
          "extra",
          change_by_speckle_noise};
}

}  // namespace leeway::shift
