#include <fmt/format.h>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// Residual networks that normalize before each convolution.
struct PreactivationPlan {
  int stages, blocks;             // blocks in each stage
  std::int64_t first_maps, maps;  // of the first convolution and of the first stage
  bool wide = false;
};

// x + conv(relu(bn(conv(a)))), a = relu(bn(x)); where the shape changes, a 1x1 convolution of x (wide: of a) in
// place of x.
class PreactivationBlock : public torch::nn::Module {
 public:
  PreactivationBlock(bool wide, std::int64_t from, std::int64_t to, std::int64_t stride) : wide_(wide) {
    bn1_ = register_module("bn1", torch::nn::BatchNorm2d(from));
    conv1_ = register_module("conv1", convolution(from, to, 3, stride));
    bn2_ = register_module("bn2", torch::nn::BatchNorm2d(to));
    conv2_ = register_module("conv2", convolution(to, to, 3));
    if (from == to) return;
    torch::nn::Module& owner = wide ? *this : group(*this, "shortcut");
    shortcut_ = owner.register_module(wide ? "convShortcut" : "0", convolution(from, to, 1, stride));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor active = normalized_relu(bn1_, x);
    const torch::Tensor inner = conv2_(normalized_relu(bn2_, conv1_(active)));
    return inner.add_(shortcut_ ? shortcut_(wide_ ? active : x) : x);
  }

 private:
  bool wide_;
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, shortcut_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr}, bn2_{nullptr};
};

// Convolution, stages that double the maps, relu(bn) (wide), means (features), linear layer. No dropout, as in
// robust training.
class PreactivationNetwork : public StagedNetwork {
 public:
  PreactivationNetwork(const PreactivationPlan& plan, const InputShape& input, std::int64_t classes) {
    std::int64_t from = plan.first_maps;
    conv1_ = register_module("conv1", convolution(static_cast<std::int64_t>(input.channels), from, 3));
    for (int stage = 0; stage < plan.stages; ++stage) {
      const std::int64_t maps = plan.maps << stage;
      torch::nn::Sequential layer;
      for (int b = 0; b < plan.blocks; ++b, from = maps)
        layer->push_back(
            std::make_shared<PreactivationBlock>(plan.wide, from, maps, stage > 0 && b == 0 ? 2 : 1));
      layers_.push_back(plan.wide
                            ? group(*this, fmt::format("block{}", stage + 1)).register_module("layer", layer)
                            : register_module(fmt::format("layer{}", stage + 1), layer));
    }
    if (plan.wide) bn1_ = register_module("bn1", torch::nn::BatchNorm2d(from));
    last_ = register_module(plan.wide ? "fc" : "linear", torch::nn::Linear(from, classes));
  }

 private:
  torch::Tensor behind_last(const torch::Tensor& maps) override {
    return bn1_ ? normalized_relu(bn1_, maps) : maps;
  }

  torch::nn::BatchNorm2d bn1_{nullptr};
};

}  // namespace

// Four stages of two blocks with 64 to 512 maps. Shortcuts convolve x, not its activation, and no normalization
// follows the last stage (RobustBench, Wong et al., ICLR 2020).
Architecture preact_resnet18() {
  const PreactivationPlan plan{.stages = 4, .blocks = 2, .first_maps = 64, .maps = 64};
  return {{"preact-resnet18",
           "residual network of 18 layers that normalizes before each convolution, for small images",
           "He et al., ECCV 2016; names of RobustBench"},
          "linear.bias",
          8,
          made_by<PreactivationNetwork>(plan)};
}

// Three stages of (28 - 4) / 6 blocks with 16, 32 and 64 maps times the width factor 10.
Architecture wrn_28_10() {
  const PreactivationPlan plan{.stages = 3, .blocks = 4, .first_maps = 16, .maps = 160, .wide = true};
  return {{"wrn-28-10", "wide residual network: 28 layers, width factor 10, for small images",
           "Zagoruyko and Komodakis, BMVC 2016; names of TRADES and RobustBench"},
          "fc.bias",
          4,
          made_by<PreactivationNetwork>(plan)};
}

}  // namespace leeway::nn
