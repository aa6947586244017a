#include <fmt/format.h>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// x + conv(relu(bn(conv(a)))), a = relu(bn(x)); where the shape changes, a 1x1 convolution of a in place of x.
class WideBlock : public torch::nn::Module {
 public:
  WideBlock(std::int64_t from, std::int64_t to, std::int64_t stride) {
    bn1_ = register_module("bn1", torch::nn::BatchNorm2d(from));
    conv1_ = register_module("conv1", convolution(from, to, 3, stride));
    bn2_ = register_module("bn2", torch::nn::BatchNorm2d(to));
    conv2_ = register_module("conv2", convolution(to, to, 3));
    if (from != to) shortcut_ = register_module("convShortcut", convolution(from, to, 1, stride));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor active = normalized_relu(bn1_, x);
    const torch::Tensor inner = conv2_(normalized_relu(bn2_, conv1_(active)));
    return inner.add_(shortcut_ ? shortcut_(active) : x);
  }

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, shortcut_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr}, bn2_{nullptr};
};

// Convolution, three stages of (depth - 4) / 6 blocks with 16, 32, 64 times `width` maps, relu(bn), means
// (features), linear layer. No dropout, as in robust training.
class WideResnet : public StagedNetwork {
 public:
  WideResnet(int depth, std::int64_t width, const InputShape& input, std::int64_t classes) {
    conv1_ = register_module("conv1", convolution(static_cast<std::int64_t>(input.channels), 16, 3));
    std::int64_t from = 16;
    for (int stage = 0; stage < 3; ++stage) {
      const std::int64_t maps = (std::int64_t{16} << stage) * width;
      torch::nn::Sequential layer;
      for (int b = 0; b < (depth - 4) / 6; ++b, from = maps)
        layer->push_back(std::make_shared<WideBlock>(from, maps, stage > 0 && b == 0 ? 2 : 1));
      layers_.push_back(group(*this, fmt::format("block{}", stage + 1)).register_module("layer", layer));
    }
    bn1_ = register_module("bn1", torch::nn::BatchNorm2d(from));
    last_ = register_module("fc", torch::nn::Linear(from, classes));
  }

 private:
  torch::Tensor behind_last(const torch::Tensor& maps) override { return normalized_relu(bn1_, maps); }

  torch::nn::BatchNorm2d bn1_{nullptr};
};

}  // namespace

Architecture wrn_28_10() {
  return {{"wrn-28-10", "wide residual network: 28 layers, width factor 10, for small images",
           "Zagoruyko and Komodakis, BMVC 2016; names of TRADES and RobustBench"},
          "fc.bias",
          4,
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<WideResnet>(28, 10, input, classes);
          }};
}

}  // namespace leeway::nn
