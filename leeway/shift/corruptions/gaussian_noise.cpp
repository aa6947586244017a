// x' = x + sigma z, z standard normal, independent for every pixel and channel.
#include <vector>

#include "leeway/shift/corruption.h"
#include "leeway/shift/detail/normals.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> gaussian_noise_sigmas{{
    {.04, .06, .08, .09, .10},
    {.04, .08, .12, .15, .18},
    {.08, .12, .18, .26, .38},
}};

void change_by_gaussian_noise(const CorruptedPicture& picture, const CorruptionSetting& setting,
                              Random& random) {
  thread_local std::vector<float> z;
  const auto sigma = static_cast<float>(setting.of(gaussian_noise_sigmas));
  z.resize(picture.values.size());
  draw_normals(random, z);
  for (std::size_t i = 0; i < z.size(); ++i) picture.values[i] += sigma * z[i];
}

}  // namespace

Corruption corrupt_gaussian_noise() {
  return {{"gaussian-noise", "independent normal noise on every pixel", benchmark_paper},
          CorruptionGroup::noise,
          change_by_gaussian_noise};
}

}  // namespace leeway::shift
