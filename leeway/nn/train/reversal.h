// Gradient reversal (Ganin et al., JMLR 2016, section 4.2): what a layer before it learns makes the loss behind it larger.
#pragma once

#include <torch/torch.h>

namespace leeway::nn {

// x itself; its gradient is -c times what comes back.
[[nodiscard]] torch::Tensor reversed(const torch::Tensor& x, double c);

// c at a share p of the steps done: 2 / (1 + exp(-10 p)) - 1, from 0 towards 1.
[[nodiscard]] double reversal_weight(double p);

}  // namespace leeway::nn
