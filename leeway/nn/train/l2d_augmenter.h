// Augmenter of learning to diversify (Wang et al., ICCV 2021): random image changes with learned scales and
// shifts.
//
//   G(x) = sigmoid(sum_j w_j B_j(x + .01 v e)),   e standard normal
//   B_j(x) = tanh(up_j(S_j norm(down_j(x)) + M_j)), kernels 9, 13, 17 and 5;   color: tanh(1x1(x))
//
// down_j: convolution without padding; up_j: transposed, back to x's size; norm standardizes each map.
// Learned: v, and S_j and M_j per pixel. Larger kernels than the image are omitted. In training each step
// redraws the convolutions and w (normal, divided by its sum) and drops a fifth of color; otherwise only e is
// random and w = 1 / branches.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "leeway/nn/predictor.h"

namespace leeway::nn {

class L2dAugmenter : public torch::nn::Module {
 public:
  L2dAugmenter(const InputShape& images, std::uint64_t seed);

  // x (n,c,h,w) to (n,c,h,w) in (0,1). Randomness depends on seed, step and row alone.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x, std::size_t step, bool diverse);

 private:
  struct Branch {
    std::int64_t kernel;
    torch::Tensor scale, shift;
  };

  std::uint64_t seed_;
  std::vector<Branch> branches_;
  torch::Tensor noise_;  // v
};

// Mean over labels of the biased MMD^2 between a label's rows of a and b; kernel sum_i exp(-D / (w 2^(i-2))),
// i = 0, ..., 4; D: squared distance; w: its mean over pairs of different rows, without gradient. 0 if all
// rows are equal. In float64; differentiable once.
[[nodiscard]] torch::Tensor mmd_by_label(const torch::Tensor& a, const torch::Tensor& b,
                                         const torch::Tensor& labels);

}  // namespace leeway::nn
