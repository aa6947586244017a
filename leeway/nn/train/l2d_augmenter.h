// The augmenter of learning to diversify (Wang et al., ICCV 2021): random changes of pictures whose scales and shifts are learnt.
//
//   G(x) = sigmoid(sum_j w_j B_j(x + .01 v e)),   e standard normal
//   B_j(x) = tanh(up_j(S_j norm(down_j(x)) + M_j)), kernels 9, 13, 17 and 5;   colour: tanh(1x1(x))
//
// down_j is a convolution without padding, up_j a transposed one back to x's size, norm takes from each map of each image its mean and
// divides by its deviation. Learnt: v, and S_j and M_j for every pixel. Kernels larger than the images are left out. In training the
// convolutions are drawn anew for every step, w from a normal distribution, divided by its sum, and a fifth of colour's numbers is dropped; else
// all but e is fixed, w = 1 / branches.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "leeway/nn/predictor.h"

namespace leeway::nn {

class L2dAugmenter : public torch::nn::Module {
 public:
  L2dAugmenter(const InputShape& images, std::uint64_t seed);

  // x (n,c,h,w) to (n,c,h,w) in (0,1). Everything random depends on the seed, the step and the row alone.
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

}  // namespace leeway::nn
