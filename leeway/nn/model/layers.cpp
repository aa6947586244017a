#include "leeway/nn/model/layers.h"

namespace leeway::nn {

torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel, std::int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

torch::Tensor normalized_relu(torch::nn::BatchNorm2d& layer, const torch::Tensor& x) {
  return layer(x).relu_();
}

torch::Tensor map_means(const torch::Tensor& maps) { return maps.mean({2, 3}); }

torch::nn::Module& group(torch::nn::Module& owner, const std::string& name) {
  return *owner.register_module(name, std::make_shared<torch::nn::Module>());
}

}  // namespace leeway::nn
