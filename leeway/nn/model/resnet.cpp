#include <fmt/format.h>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// torchvision's stem is a 7x7 convolution and a maximum, both stride 2; networks for small images have a 3x3
// convolution of stride 1 and some other names.
struct ResnetPlan {
  std::vector<int> blocks;  // in each stage
  bool bottleneck = false, small_images = false;
  std::int64_t first_maps = 64;  // of the first stage
  bool option_a = false;         // shortcuts without weights (He et al., CVPR 2016, section 3.3)

  [[nodiscard]] const char* shortcut() const { return small_images ? "shortcut" : "downsample"; }
  [[nodiscard]] const char* last() const { return small_images ? "linear" : "fc"; }
  [[nodiscard]] std::int64_t outputs(std::int64_t maps) const { return bottleneck ? 4 * maps : maps; }
};

// relu(shortcut(x) + bn(conv(relu(bn(conv(x)))))): two 3x3 convolutions, or a bottleneck: 1x1, 3x3 (with the
// stride), 1x1 with four times the maps. The shortcut is x, or bn(1x1 conv) where the shape changes (option A:
// every other pixel, zero maps on both sides).
class ResnetBlock : public torch::nn::Module {
 public:
  ResnetBlock(const ResnetPlan& plan, std::int64_t from, std::int64_t maps, std::int64_t stride) {
    const std::int64_t to = plan.outputs(maps);
    if (plan.bottleneck) {
      add(from, maps, 1, 1);
      add(maps, maps, 3, stride);
      add(maps, to, 1, 1);
    } else {
      add(from, maps, 3, stride);
      add(maps, to, 3, 1);
    }
    if (plan.option_a)
      added_ = (to - from) / 2;
    else if (stride != 1 || from != to)
      shortcut_ = register_module(plan.shortcut(), torch::nn::Sequential(convolution(from, to, 1, stride),
                                                                         torch::nn::BatchNorm2d(to)));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor inner = x;
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i)
      inner = normalized_relu(layers_[i].normalization, layers_[i].convolution(inner));
    inner = layers_.back().normalization(layers_.back().convolution(inner));
    return inner.add_(shortcut(x)).relu_();
  }

 private:
  struct Layer {
    torch::nn::Conv2d convolution;
    torch::nn::BatchNorm2d normalization;
  };
  void add(std::int64_t from, std::int64_t to, std::int64_t kernel, std::int64_t stride) {
    const std::string number = std::to_string(layers_.size() + 1);
    const auto one = register_module("conv" + number, convolution(from, to, kernel, stride));
    layers_.push_back({one, register_module("bn" + number, torch::nn::BatchNorm2d(to))});
  }
  [[nodiscard]] torch::Tensor shortcut(const torch::Tensor& x) {
    if (shortcut_) return shortcut_->forward(x);
    if (added_ == 0) return x;
    using torch::indexing::Slice;
    const Slice every_other(torch::indexing::None, torch::indexing::None, 2);
    return torch::constant_pad_nd(x.index({Slice(), Slice(), every_other, every_other}),
                                  {0, 0, 0, 0, added_, added_});
  }

  std::vector<Layer> layers_;
  torch::nn::Sequential shortcut_{nullptr};
  std::int64_t added_ = 0;  // maps on each side of an option A shortcut
};

// Convolution, stages that double the maps (bottleneck: times four), means (features), linear layer.
class Resnet : public StagedNetwork {
 public:
  Resnet(const ResnetPlan& plan, const InputShape& input, std::int64_t classes)
      : small_images_(plan.small_images) {
    const auto channels = static_cast<std::int64_t>(input.channels);
    std::int64_t from = plan.first_maps;
    conv1_ = register_module(
        "conv1", small_images_ ? convolution(channels, from, 3) : convolution(channels, from, 7, 2));
    bn1_ = register_module("bn1", torch::nn::BatchNorm2d(from));
    for (std::size_t stage = 0; stage < plan.blocks.size(); ++stage) {
      const std::int64_t maps = plan.first_maps << stage;
      torch::nn::Sequential layer;
      for (int b = 0; b < plan.blocks[stage]; ++b, from = plan.outputs(maps))
        layer->push_back(std::make_shared<ResnetBlock>(plan, from, maps, stage > 0 && b == 0 ? 2 : 1));
      layers_.push_back(register_module(fmt::format("layer{}", stage + 1), layer));
    }
    last_ = register_module(plan.last(), torch::nn::Linear(from, classes));
  }

 private:
  torch::Tensor behind_first(const torch::Tensor& maps) override {
    const torch::Tensor first = normalized_relu(bn1_, maps);
    return small_images_ ? first : torch::max_pool2d(first, 3, 2, 1);
  }

  bool small_images_;
  torch::nn::BatchNorm2d bn1_{nullptr};
};

const ResnetPlan large_18{{2, 2, 2, 2}}, large_50{{3, 4, 6, 3}, true}, large_101{{3, 4, 23, 3}, true},
    small_18{{2, 2, 2, 2}, false, true}, small_50{{3, 4, 6, 3}, true, true},
    small_101{{3, 4, 23, 3}, true, true};

Architecture residual_network(const ResnetPlan& plan, const Member& member, std::size_t least_side) {
  return {member, plan.small_images ? "linear.bias" : "fc.bias", least_side, made_by<Resnet>(plan)};
}

Architecture small(const ResnetPlan& plan, std::string_view name, std::string_view summary) {
  return residual_network(plan, {name, summary, "He et al., CVPR 2016; names as in RobustBench"}, 8);
}
Architecture large(const ResnetPlan& plan, std::string_view name, std::string_view summary) {
  return residual_network(
      plan, {name, summary, "He et al., CVPR 2016; stride in the 3x3 convolution, names as in torchvision"},
      32);
}

// Three stages of (depth - 2) / 6 blocks with 16, 32, 64 maps.
Architecture cifar(int depth, std::string_view name, std::string_view summary) {
  const int blocks = (depth - 2) / 6;
  return residual_network(
      {.blocks = {blocks, blocks, blocks}, .small_images = true, .first_maps = 16, .option_a = true},
      {name, summary, "He et al., CVPR 2016, section 4.2; shortcuts of option A"}, 4);
}

}  // namespace

std::vector<Architecture> small_resnets() {
  return {cifar(20, "resnet20-cifar", "CIFAR ResNet with 20 layers, for small images"),
          cifar(32, "resnet32-cifar", "CIFAR ResNet with 32 layers"),
          cifar(44, "resnet44-cifar", "CIFAR ResNet with 44 layers"),
          cifar(56, "resnet56-cifar", "CIFAR ResNet with 56 layers"),
          cifar(110, "resnet110-cifar", "CIFAR ResNet with 110 layers"),
          small(small_18, "resnet18-cifar", "ResNet-18 with a 3x3 first convolution, for small images"),
          small(small_50, "resnet50-cifar", "ResNet-50 for small images"),
          small(small_101, "resnet101-cifar", "ResNet-101 for small images")};
}

std::vector<Architecture> large_resnets() {
  return {large(large_18, "resnet18", "residual network with 18 layers"),
          large(large_50, "resnet50", "ResNet-50 with bottlenecks"),
          large(large_101, "resnet101", "ResNet-101 with bottlenecks")};
}

}  // namespace leeway::nn
