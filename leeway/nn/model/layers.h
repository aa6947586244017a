// Layers that several architectures share.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

// Square, no bias, padded so that stride 1 keeps the size. `kernel` is odd.
[[nodiscard]] torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel,
                                            std::int64_t stride = 1);

// relu(layer(x)), in place on the layer's output, which no gradient needs.
[[nodiscard]] torch::Tensor normalized_relu(torch::nn::BatchNorm2d& layer, const torch::Tensor& x);

// (n,c,h,w) to (n,c): the mean of each map.
[[nodiscard]] torch::Tensor map_means(const torch::Tensor& maps);

// An empty module called `name` within `owner`, for names with dots.
torch::nn::Module& group(torch::nn::Module& owner, const std::string& name);

// The first convolution of a network, with faster gradients by its input.
//
// oneDNN pads few input channels to a whole vector: with 1 channel, 16 times the work. A transposed
// convolution takes 1/4 of the time with 1 channel, 2/3 with 2, 3/4 with 3 (4x4 kernels, 16 maps). Values and
// weight gradients are the layer's own; everything is differentiable again.

// layer(x) for a plain convolution: zero padding, one group, no dilation.
[[nodiscard]] torch::Tensor input_convolution(torch::nn::Conv2d& layer, const torch::Tensor& x);

// The gradient by x (n,c,h,w), given the one by layer(x) (n,maps,rows,columns); CPU, float32.
[[nodiscard]] torch::Tensor input_convolution_backward(const torch::nn::Conv2d& layer,
                                                       const torch::Tensor& gradient,
                                                       torch::IntArrayRef input);

// Convolution, stages, mean of each map (the features), linear layer.
class StagedNetwork : public Network {
 public:
  [[nodiscard]] std::size_t stages() const override { return 1 + layers_.size(); }
  torch::Tensor stage(std::size_t number, const torch::Tensor& maps) override {
    return number > 0 ? layers_[number - 1]->forward(maps) : behind_first(input_convolution(conv1_, maps));
  }
  Forward finish(const torch::Tensor& maps) override {
    const torch::Tensor features = map_means(behind_last(maps));
    return {last_(features), features};
  }

 protected:
  // Layers between the convolution and the first stage, and between the last stage and the means.
  [[nodiscard]] virtual torch::Tensor behind_first(const torch::Tensor& maps) { return maps; }
  [[nodiscard]] virtual torch::Tensor behind_last(const torch::Tensor& maps) { return maps; }

  torch::nn::Conv2d conv1_{nullptr};
  std::vector<torch::nn::Sequential> layers_;
  torch::nn::Linear last_{nullptr};
};

// The reverse sigmoid: perturbs probabilities to hinder model stealing (Lee et al., 2018, arXiv 1806.00054,
// equation 3).
//
//   r_j = beta (sigmoid(gamma logit(y_j)) - 1/2),   y'_j = (y_j - r_j) / sum_i (y_i - r_i)
//
// As in the Adversarial Robustness Toolbox: y within the logit is kept 1e-9 away from 0 and 1, y - r in
// [0,1], beta = 1, gamma = .1. Then y - r >= .11 and a class of probability 0 gets .39 before the sum:
// confidence is low, and with many classes a weak winner may lose.

// (n,k) to (n,k), in float64: in float32, y rounds to 1 too early.
[[nodiscard]] torch::Tensor reverse_sigmoid(const torch::Tensor& probabilities);

}  // namespace leeway::nn
