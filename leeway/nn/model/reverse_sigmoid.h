// The reverse sigmoid: perturbs probabilities to hinder model stealing (Lee et al., 2018, arXiv 1806.00054,
// equation 3).
//
//   r_j = beta (sigmoid(gamma logit(y_j)) - 1/2),   y'_j = (y_j - r_j) / sum_i (y_i - r_i)
//
// As in the Adversarial Robustness Toolbox: y within the logit is kept 1e-9 away from 0 and 1, y - r in
// [0,1], beta = 1, gamma = .1. Then y - r >= .11 and a class of probability 0 gets .39 before the sum:
// confidence is low, and with many classes a weak winner may lose.
#pragma once

#include <torch/torch.h>

namespace leeway::nn {

// (n,k) to (n,k), in float64: in float32, y rounds to 1 too early.
[[nodiscard]] torch::Tensor reverse_sigmoid(const torch::Tensor& probabilities);

}  // namespace leeway::nn
