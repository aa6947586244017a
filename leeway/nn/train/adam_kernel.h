// The element-wise pass of Adam, without LibTorch so that it can be compiled for speed.
#pragma once

#include <cstddef>

namespace leeway::nn {

struct AdamFactors {
  float beta1, beta2;
  float step;        // lr / (1 - beta1^t)
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  float epsilon;
  float keep;  // 1 - lr decay
};

void adam_pass(float* weights, float* first, float* second, const float* gradients, std::size_t count,
               const AdamFactors& factors);

}  // namespace leeway::nn
