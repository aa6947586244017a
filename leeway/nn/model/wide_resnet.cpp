#include <fmt/format.h>

#include <string>
#include <vector>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// Residual networks that normalize before each convolution.
struct PreactivationPlan {
  int stages, blocks;             // blocks in each stage
  std::int64_t first_maps, maps;  // of the first convolution and of the first stage
  bool wide = false;
  // Wide, with SiLU and names of its own; a convolution of stride 2 pads on the right and below alone
  bool silu = false;

  [[nodiscard]] std::string normalization(int number) const {
    return silu ? fmt::format("batchnorm_{}", number - 1) : fmt::format("bn{}", number);
  }
  [[nodiscard]] std::string convolution(int number) const {
    return silu ? fmt::format("conv_{}", number - 1) : fmt::format("conv{}", number);
  }
  [[nodiscard]] torch::Tensor activation(torch::nn::BatchNorm2d& layer, const torch::Tensor& x) const {
    return silu ? torch::silu(layer(x)) : normalized_relu(layer, x);
  }
};

// x + conv(act(bn(conv(a)))), a = act(bn(x)); where the shape changes, a 1x1 convolution of x (wide: of a) in
// place of x.
class PreactivationBlock : public torch::nn::Module {
 public:
  PreactivationBlock(const PreactivationPlan& plan, std::int64_t from, std::int64_t to, std::int64_t stride)
      : plan_(plan), pads_(plan.silu && stride == 2) {
    bn1_ = register_module(plan.normalization(1), torch::nn::BatchNorm2d(from));
    auto first = convolution(from, to, 3, stride);
    if (pads_) first->options.padding(torch::ExpandingArray<2>(0));
    conv1_ = register_module(plan.convolution(1), first);
    bn2_ = register_module(plan.normalization(2), torch::nn::BatchNorm2d(to));
    conv2_ = register_module(plan.convolution(2), convolution(to, to, 3));
    if (from == to) return;
    torch::nn::Module& owner = plan.wide ? *this : group(*this, "shortcut");
    const char* const name = plan.silu ? "shortcut" : plan.wide ? "convShortcut" : "0";
    shortcut_ = owner.register_module(name, convolution(from, to, 1, stride));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor active = plan_.activation(bn1_, x);
    const torch::Tensor padded = pads_ ? torch::constant_pad_nd(active, {0, 1, 0, 1}) : active;
    const torch::Tensor inner = conv2_(plan_.activation(bn2_, conv1_(padded)));
    return inner.add_(shortcut_ ? shortcut_(plan_.wide ? active : x) : x);
  }

 private:
  PreactivationPlan plan_;
  bool pads_;
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, shortcut_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr}, bn2_{nullptr};
};

// Convolution, stages that double the maps, act(bn) (wide), means (features), linear layer. No dropout, as in
// robust training.
class PreactivationNetwork : public StagedNetwork {
 public:
  PreactivationNetwork(const PreactivationPlan& plan, const InputShape& input, std::int64_t classes)
      : plan_(plan) {
    std::int64_t from = plan.first_maps;
    conv1_ = register_module(plan.silu ? "init_conv" : "conv1",
                             convolution(static_cast<std::int64_t>(input.channels), from, 3));
    torch::nn::Module& owner = plan.silu ? group(*this, "layer") : *this;
    for (int stage = 0; stage < plan.stages; ++stage) {
      const std::int64_t maps = plan.maps << stage;
      torch::nn::Sequential layer;
      for (int b = 0; b < plan.blocks; ++b, from = maps)
        layer->push_back(std::make_shared<PreactivationBlock>(plan, from, maps, stage > 0 && b == 0 ? 2 : 1));
      const std::string number = std::to_string(plan.silu ? stage : stage + 1);
      layers_.push_back(plan.silu   ? group(owner, number).register_module("block", layer)
                        : plan.wide ? group(owner, "block" + number).register_module("layer", layer)
                                    : register_module("layer" + number, layer));
    }
    if (plan.wide) bn1_ = register_module(plan.silu ? "batchnorm" : "bn1", torch::nn::BatchNorm2d(from));
    last_ = register_module(plan.silu   ? "logits"
                            : plan.wide ? "fc"
                                        : "linear",
                            torch::nn::Linear(from, classes));
  }

 private:
  torch::Tensor behind_last(const torch::Tensor& maps) override {
    return bn1_ ? plan_.activation(bn1_, maps) : maps;
  }

  PreactivationPlan plan_;
  torch::nn::BatchNorm2d bn1_{nullptr};
};

}  // namespace

// Four stages of two blocks with 64 to 512 maps. Shortcuts convolve x, not its activation, and no normalization
// follows the last stage (RobustBench, Wong et al., ICLR 2020).
Architecture preact_resnet18() {
  const PreactivationPlan plan{.stages = 4, .blocks = 2, .first_maps = 64, .maps = 64};
  return {{"preact-resnet18",
           "residual network with 18 layers and normalization before each convolution, for small images",
           "He et al., ECCV 2016; names as in RobustBench"},
          "linear.bias",
          8,
          made_by<PreactivationNetwork>(plan)};
}

// Three stages of (28 - 4) / 6 blocks with 16, 32 and 64 maps times the width factor 10.
Architecture wrn_28_10() {
  const PreactivationPlan plan{.stages = 3, .blocks = 4, .first_maps = 16, .maps = 160, .wide = true};
  return {{"wrn-28-10", "wide residual network: 28 layers, width factor 10, for small images",
           "Zagoruyko and Komodakis, BMVC 2016; names as in TRADES and RobustBench"},
          "fc.bias",
          4,
          made_by<PreactivationNetwork>(plan)};
}

// The same with SiLU: (depth - 4) / 6 blocks a stage.
std::vector<Architecture> silu_wide_resnets() {
  const auto made = [](int depth, std::int64_t width, const Member& member) {
    const PreactivationPlan plan{3, (depth - 4) / 6, 16, 16 * width, true, true};
    return Architecture{member, "logits.bias", 4, made_by<PreactivationNetwork>(plan)};
  };
  constexpr std::string_view source = "Gowal et al. 2021 and Wang et al., ICML 2023; names as in RobustBench";
  return {
      made(28, 10, {"dm-wrn-28-10", "wide residual network with SiLU: 28 layers, width factor 10", source}),
      made(70, 16, {"dm-wrn-70-16", "wide residual network with SiLU: 70 layers, width factor 16", source})};
}

}  // namespace leeway::nn
