// The reverse sigmoid: probabilities disturbed so that whoever copies a classifier by asking it learns less.
//
//   r_j = beta (sigmoid(gamma logit(y_j)) - 1/2),   y'_j = (y_j - r_j) / sum_i (y_i - r_i)
//
// Lee, Edwards, Molloy and Su, 2018 (arXiv 1806.00054), equation 3. y is kept 1e-9 away from 0 and 1 within the logit, and
// y - r within [0,1], as the Adversarial Robustness Toolbox does. With beta 1 and gamma .1, its defaults and ours, y - r
// is never below .11, so that a class of no probability at all gets .39 before the sum: confidence ends low, and among
// many classes a winner of little probability may lose to one of none.
#pragma once

#include <torch/torch.h>

namespace leeway::nn {

struct ReverseSigmoid {
  double beta = 1, gamma = .1;
};

// (n,k) probabilities to (n,k) probabilities. Computed in float64: in float32 y is 1 long before its logit ends.
[[nodiscard]] torch::Tensor reverse_sigmoid(const torch::Tensor& probabilities,
                                            const ReverseSigmoid& by = {});

}  // namespace leeway::nn
