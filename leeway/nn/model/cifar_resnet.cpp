#include <fmt/format.h>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;

// relu(x + bn(conv(relu(bn(conv(x)))))). Option A shortcuts: every other pixel, zero maps on both sides.
class BasicBlock : public torch::nn::Module {
 public:
  BasicBlock(std::int64_t from, std::int64_t to) : added_((to - from) / 2) {
    conv1_ = register_module("conv1", convolution(from, to, 3, from == to ? 1 : 2));
    bn1_ = register_module("bn1", BatchNorm2d(to));
    conv2_ = register_module("conv2", convolution(to, to, 3));
    bn2_ = register_module("bn2", BatchNorm2d(to));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor inner = bn2_(conv2_(normalized_relu(bn1_, conv1_(x))));
    return inner.add_(shortcut(x)).relu_();
  }

 private:
  [[nodiscard]] torch::Tensor shortcut(const torch::Tensor& x) const {
    if (added_ == 0) return x;
    using torch::indexing::Slice;
    const Slice every_other(torch::indexing::None, torch::indexing::None, 2);
    return torch::constant_pad_nd(x.index({Slice(), Slice(), every_other, every_other}),
                                  {0, 0, 0, 0, added_, added_});
  }

  std::int64_t added_;
  Conv2d conv1_{nullptr}, conv2_{nullptr};
  BatchNorm2d bn1_{nullptr}, bn2_{nullptr};
};

// Convolution, three stages of `blocks` blocks with 16, 32, 64 maps, means (features), linear layer.
class CifarResnet : public StagedNetwork {
 public:
  CifarResnet(const InputShape& input, std::int64_t classes, int blocks) {
    conv1_ = register_module("conv1", convolution(static_cast<std::int64_t>(input.channels), 16, 3));
    bn1_ = register_module("bn1", BatchNorm2d(16));
    std::int64_t maps = 16;
    for (int stage = 1; stage <= 3; ++stage) {
      const std::int64_t wanted = std::int64_t{8} << stage;
      torch::nn::Sequential layer;
      for (int b = 0; b < blocks; ++b, maps = wanted)
        layer->push_back(std::make_shared<BasicBlock>(maps, wanted));
      layers_.push_back(register_module(fmt::format("layer{}", stage), layer));
    }
    last_ = register_module("linear", torch::nn::Linear(64, classes));
  }

 private:
  torch::Tensor behind_first(const torch::Tensor& maps) override { return normalized_relu(bn1_, maps); }

  BatchNorm2d bn1_{nullptr};
};

template <int Depth>
Architecture cifar_resnet(std::string_view name, std::string_view summary) {
  static_assert((Depth - 2) % 6 == 0);
  return {{name, summary, "He et al., CVPR 2016, section 4.2; shortcuts of option A"},
          "linear.bias",
          4,
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<CifarResnet>(input, classes, (Depth - 2) / 6);
          }};
}

}  // namespace

Architecture resnet20_cifar() {
  return cifar_resnet<20>("resnet20-cifar", "CIFAR ResNet of 20 layers, for small images");
}
Architecture resnet32_cifar() { return cifar_resnet<32>("resnet32-cifar", "CIFAR ResNet of 32 layers"); }
Architecture resnet44_cifar() { return cifar_resnet<44>("resnet44-cifar", "CIFAR ResNet of 44 layers"); }
Architecture resnet56_cifar() { return cifar_resnet<56>("resnet56-cifar", "CIFAR ResNet of 56 layers"); }
Architecture resnet110_cifar() { return cifar_resnet<110>("resnet110-cifar", "CIFAR ResNet of 110 layers"); }

}  // namespace leeway::nn
