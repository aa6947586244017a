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

BlurPool::BlurPool(std::int64_t channels) {
  const torch::Tensor side = torch::tensor({1.f, 3.f, 3.f, 1.f}) / 8;
  filter_ = register_buffer("filt", side.outer(side).expand({channels, 1, 4, 4}).clone());
}

torch::Tensor BlurPool::forward(const torch::Tensor& x) {
  using torch::nn::functional::Conv2dFuncOptions;
  return torch::nn::functional::conv2d(torch::reflection_pad2d(x, {1, 2, 1, 2}), filter_,
                                       Conv2dFuncOptions().stride(2).groups(x.size(1)));
}

torch::nn::Module& group(torch::nn::Module& owner, const std::string& name) {
  return *owner.register_module(name, std::make_shared<torch::nn::Module>());
}

}  // namespace leeway::nn
