// The first convolution of a network, with faster gradients by its input.
//
// oneDNN pads few input channels to a whole vector: with 1 channel, 16 times the work. A transposed
// convolution takes 1/4 of the time with 1 channel, 2/3 with 2, 3/4 with 3 (4x4 kernels, 16 maps). Values and
// weight gradients are the layer's own; everything is differentiable again.
#pragma once

#include <torch/torch.h>

namespace leeway::nn {

// layer(x) for a plain convolution: zero padding, one group, no dilation.
[[nodiscard]] torch::Tensor input_convolution(torch::nn::Conv2d& layer, const torch::Tensor& x);

// The gradient by x (n,c,h,w), given the one by layer(x) (n,maps,rows,columns); CPU, float32.
[[nodiscard]] torch::Tensor input_convolution_backward(const torch::nn::Conv2d& layer,
                                                       const torch::Tensor& gradient,
                                                       torch::IntArrayRef input);

}  // namespace leeway::nn
