#include <fmt/format.h>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/input_convolution.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// shortcut(x) + conv(relu(bn(conv(relu(bn(x)))))). The shortcut is x, or a 1x1 convolution of x itself, not of its
// activation: RobustBench's block for Wong et al., ICLR 2020.
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

// A convolution, four stages of two blocks with 64, 128, 256 and 512 maps, the mean of each map, a linear layer; no
// normalization at the end. The features are the 512 means.
class PreActResnet : public Network {
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
    linear_ = register_module("linear", torch::nn::Linear(from, classes));
  }
  [[nodiscard]] std::size_t stages() const override { return 1 + layers_.size(); }
  torch::Tensor stage(std::size_t number, const torch::Tensor& maps) override {
    return number > 0 ? layers_[number - 1]->forward(maps) : input_convolution(conv1_, maps);
  }
  Forward finish(const torch::Tensor& maps) override {
    const torch::Tensor features = map_means(maps);
    return {linear_(features), features};
  }

 private:
  torch::nn::Conv2d conv1_{nullptr};
  std::vector<torch::nn::Sequential> layers_;
  torch::nn::Linear linear_{nullptr};
};

}  // namespace

Architecture preact_resnet18() {
  return {{"preact-resnet18",
           "residual network of 18 layers that normalizes before each convolution, for small images",
           "He et al., ECCV 2016; names of RobustBench"},
          "linear.bias",
          8,
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<PreActResnet>(input, classes);
          }};
}

}  // namespace leeway::nn
