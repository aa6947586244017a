// Layers and their arrangement that several architectures share.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// Square, without bias; it pads so that a stride of 1 keeps the size. `kernel` is odd.
[[nodiscard]] torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel,
                                            std::int64_t stride = 1);

// relu(layer(x)), written over the layer's own output: nothing needs that for a gradient.
[[nodiscard]] torch::Tensor normalized_relu(torch::nn::BatchNorm2d& layer, const torch::Tensor& x);

// (n,c,h,w) to (n,c): the mean of each map.
[[nodiscard]] torch::Tensor map_means(const torch::Tensor& maps);

// An empty module called `name` within `owner`, for names with dots.
torch::nn::Module& group(torch::nn::Module& owner, const std::string& name);

}  // namespace leeway::nn
