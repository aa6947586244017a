// Adversarial images by gradient ascent from x' = x (ADA: Volpi et al., NeurIPS 2018, equations 2 to 4;
// ME-ADA: Zhao et al., NeurIPS 2020, section 3). z is the last hidden layer, of d numbers:
//   x' <- x' + rate grad [CE(F(x'), y) + entropy H(softmax F(x')) - gamma |z(x') - z(x)|^2 / d].
// Images are independent. Pixels are clamped to [0,1] after the last step. The distance is a mean over features,
// as in the programs whose constants are the defaults: with the paper's |.|^2 / 2 they diverge for large d.
#pragma once

#include <torch/torch.h>

#include <cstddef>

#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {

struct Ascent {
  std::size_t steps = 15;
  double rate = 20. / 128, gamma = 1, entropy = 0;
};

struct Ascended {
  torch::Tensor images;
  torch::Tensor rose;  // (b), bool: the objective is larger than at the given image
};

// Images (b,c,h,w), labels (b). The network must be in evaluation mode: batch statistics would couple images.
[[nodiscard]] Ascended ascended(const ForwardFunction& forward, const torch::Tensor& x,
                                const torch::Tensor& y, const Ascent& ascent);

}  // namespace leeway::nn
