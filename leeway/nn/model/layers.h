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

// Every second pixel of each map after a binomial filter of 4 x 4, (1, 3, 3, 1) / 8 along both sides; beyond the border pixels are mirrored, one on
// the left and two on the right, so that a side needs 3. Sides m become (m + 1) div 2 (Zhang, ICML 2019).
class BlurPool : public torch::nn::Module {
 public:
  explicit BlurPool(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor filter_;  // "filt", (c,1,4,4), not trained
};

// An empty module called `name` within `owner`, for names with dots.
torch::nn::Module& group(torch::nn::Module& owner, const std::string& name);

}  // namespace leeway::nn
