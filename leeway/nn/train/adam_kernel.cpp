#include "leeway/nn/train/adam_kernel.h"

#include <cmath>

namespace leeway::nn {

void adam_pass(float* __restrict weights, float* __restrict first, float* __restrict second,
               const float* __restrict gradients, std::size_t count, const AdamFactors& factors) {
  const AdamFactors f = factors;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradients[i];
    const float m = f.beta1 * first[i] + (1 - f.beta1) * g;
    const float v = f.beta2 * second[i] + (1 - f.beta2) * g * g;
    first[i] = m;
    second[i] = v;
    weights[i] = f.keep * weights[i] - f.step * m / (std::sqrt(v) * f.root_scale + f.epsilon);
  }
}

}  // namespace leeway::nn
