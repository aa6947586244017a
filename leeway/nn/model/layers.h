// Layers that several architectures share.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/input_convolution.h"

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

}  // namespace leeway::nn
