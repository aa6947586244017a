#include <fmt/format.h>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// shortcut(x) + conv(relu(bn(conv(relu(bn(x)))))); the shortcut is x or a 1x1 convolution of x, not of its
// activation (RobustBench, Wong et al., ICLR 2020).
class PreActBlock : public torch::nn::Module {
 public:
  PreActBlock(std::int64_t from, std::int64_t to, std::int64_t stride) {
    bn1_ = register_module("bn1", torch::nn::BatchNorm2d(from));
    conv1_ = register_module("conv1", convolution(from, to, 3, stride));
    bn2_ = register_module("bn2", torch::nn::BatchNorm2d(to));
    conv2_ = register_module("conv2", convolution(to, to, 3));
    if (stride != 1 || from != to)
      shortcut_ = register_module("shortcut", torch::nn::Sequential(convolution(from, to, 1, stride)));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor inner = conv1_(normalized_relu(bn1_, x));
    return conv2_(normalized_relu(bn2_, inner)).add_(shortcut_ ? shortcut_->forward(x) : x);
  }

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr}, bn2_{nullptr};
  torch::nn::Sequential shortcut_{nullptr};
};

// Convolution, four stages of two blocks with 64 to 512 maps, no final normalization, means (features),
// linear.
class PreActResnet : public StagedNetwork {
 public:
  PreActResnet(const InputShape& input, std::int64_t classes) {
    conv1_ = register_module("conv1", convolution(static_cast<std::int64_t>(input.channels), 64, 3));
    std::int64_t from = 64;
    for (int stage = 0; stage < 4; ++stage) {
      const std::int64_t maps = std::int64_t{64} << stage;
      torch::nn::Sequential layer(std::make_shared<PreActBlock>(from, maps, stage > 0 ? 2 : 1),
                                  std::make_shared<PreActBlock>(maps, maps, 1));
      layers_.push_back(register_module(fmt::format("layer{}", stage + 1), layer));
      from = maps;
    }
    last_ = register_module("linear", torch::nn::Linear(from, classes));
  }
};

}  // namespace

Architecture preact_resnet18() {
  return {{"preact-resnet18",
           "residual network of 18 layers that normalizes before each convolution, for small images",
           "He et al., ECCV 2016; names of RobustBench"},
          "linear.bias",
          8,
          made_as<PreActResnet>};
}

}  // namespace leeway::nn
