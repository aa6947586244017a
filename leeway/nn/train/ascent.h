// Images that a network finds harder, near the given ones as it sees them (ADA: Volpi et al., NeurIPS 2018, equations 2 to 4; ME-ADA:
// Zhao et al., NeurIPS 2020, section 3).
//
// Gradient ascent, each image by itself, from x' = x:
//   x' <- x' + rate grad [CE(F(x'), y) + entropy H(softmax F(x')) - gamma c(x', x)],   c = |z(x') - z(x)|^2 / 2,
// z the last hidden layer; with mean_distance c = |z(x') - z(x)|^2 / d, d numbers in z. Pixels are cut to [0,1] after the last step,
// after each, or never.
#pragma once

#include <torch/torch.h>

#include <cstddef>

#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {

struct Ascent {
  enum class Clamp { last, every, never };
  std::size_t steps = 15;
  double rate = 20. / 128, gamma = 1, entropy = 0;
  bool mean_distance = false;
  Clamp clamp = Clamp::last;
};

// Of images (b,c,h,w) and labels (b). The network must be in evaluation mode, or images would not be alone.
[[nodiscard]] torch::Tensor ascended(const ForwardFunction& forward, const torch::Tensor& x,
                                     const torch::Tensor& y, const Ascent& ascent);

}  // namespace leeway::nn
