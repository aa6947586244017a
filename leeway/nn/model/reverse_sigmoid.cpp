#include "leeway/nn/model/reverse_sigmoid.h"

namespace leeway::nn {

torch::Tensor reverse_sigmoid(const torch::Tensor& probabilities) {
  constexpr double least = 1e-9, beta = 1, gamma = .1;
  const torch::Tensor y = probabilities.to(torch::kFloat64);
  const torch::Tensor disturbance =
      beta * (torch::sigmoid(gamma * torch::logit(y.clamp(least, 1 - least))) - .5);
  const torch::Tensor disturbed = (y - disturbance).clamp(0, 1);
  return disturbed / disturbed.sum(1, true);
}

}  // namespace leeway::nn
