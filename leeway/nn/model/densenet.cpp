#include <fmt/format.h>

#include <cmath>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/input_convolution.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t growth = 32;  // maps that a layer adds
constexpr int dense_layers[] = {6, 12, 24, 16};

// x and, behind it, conv 3x3 (relu(bn(conv 1x1 (relu(bn(x))))).
class DenseLayer : public torch::nn::Module {
 public:
  explicit DenseLayer(std::int64_t from) {
    norm1_ = register_module("norm1", torch::nn::BatchNorm2d(from));
    conv1_ = register_module("conv1", convolution(from, 4 * growth, 1));
    norm2_ = register_module("norm2", torch::nn::BatchNorm2d(4 * growth));
    conv2_ = register_module("conv2", convolution(4 * growth, growth, 3));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor inner = conv1_(normalized_relu(norm1_, x));
    return torch::cat({x, conv2_(normalized_relu(norm2_, inner))}, 1);
  }

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::BatchNorm2d norm1_{nullptr}, norm2_{nullptr};
};

// conv 1x1 (relu(bn(x))) to half the maps, and means of 2x2 pixels, or a BlurPool.
class Transition : public torch::nn::Module {
 public:
  Transition(std::int64_t from, bool blurred) {
    if (blurred) blur_ = register_module("pool", std::make_shared<BlurPool>(from / 2));
    norm_ = register_module("norm", torch::nn::BatchNorm2d(from));
    conv_ = register_module("conv", convolution(from, from / 2, 1));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor maps = conv_(normalized_relu(norm_, x));
    return blur_ ? blur_->forward(maps) : torch::avg_pool2d(maps, 2);
  }

 private:
  std::shared_ptr<BlurPool> blur_;
  torch::nn::BatchNorm2d norm_{nullptr};
  torch::nn::Conv2d conv_{nullptr};
};

// A 7x7 convolution and a maximum, both of stride 2, four dense blocks with transitions between them, relu(bn), the mean
// of each map, a linear layer. The features are the 1024 means. Blurred, a BlurPool stands in place of every stride but the first.
class Densenet : public Network {
 public:
  Densenet(const InputShape& input, std::int64_t classes, bool blurred) {
    torch::nn::Module& features = group(*this, "features");
    if (blurred) blur_ = features.register_module("pool0", std::make_shared<BlurPool>(64));
    conv0_ =
        features.register_module("conv0", convolution(static_cast<std::int64_t>(input.channels), 64, 7, 2));
    norm0_ = features.register_module("norm0", torch::nn::BatchNorm2d(64));
    std::int64_t maps = 64;
    std::shared_ptr<Transition> transition;
    for (int block = 1; block <= 4; ++block) {
      torch::nn::Module& dense = group(features, fmt::format("denseblock{}", block));
      torch::nn::Sequential& steps = steps_.emplace_back();
      if (block > 1) {
        steps->push_back(transition);
        maps /= 2;
      }
      for (int i = 1; i <= dense_layers[block - 1]; ++i, maps += growth)
        steps->push_back(
            dense.register_module(fmt::format("denselayer{}", i), std::make_shared<DenseLayer>(maps)));
      if (block < 4)
        transition = features.register_module(fmt::format("transition{}", block),
                                              std::make_shared<Transition>(maps, blurred));
    }
    norm5_ = features.register_module("norm5", torch::nn::BatchNorm2d(maps));
    classifier_ = register_module("classifier", torch::nn::Linear(maps, classes));
  }
  [[nodiscard]] std::size_t stages() const override { return 1 + steps_.size(); }
  torch::Tensor stage(std::size_t number, const torch::Tensor& maps) override {
    if (number > 0) return steps_[number - 1]->forward(maps);
    const torch::Tensor first = normalized_relu(norm0_, input_convolution(conv0_, maps));
    return blur_ ? blur_->forward(torch::max_pool2d(first, 3, 1, 1)) : torch::max_pool2d(first, 3, 2, 1);
  }
  Forward finish(const torch::Tensor& maps) override {
    const torch::Tensor features = map_means(normalized_relu(norm5_, maps));
    return {classifier_(features), features};
  }

  void draw_as_torchvision(const DrawNumber& random) override {
    for (torch::Tensor& tensor : parameters())
      if (tensor.dim() == 4) {
        Random numbers = random();
        draw_normal(tensor,
                    std::sqrt(2. * static_cast<double>(tensor.size(0)) / static_cast<double>(tensor.numel())),
                    numbers);
      }
    classifier_->bias.zero_();
  }

 private:
  std::shared_ptr<BlurPool> blur_;  // after the first maximum; null: none
  torch::nn::Conv2d conv0_{nullptr};
  torch::nn::BatchNorm2d norm0_{nullptr}, norm5_{nullptr};
  // A dense block each with the transition in front of it: no modules of the network, but their parts are, under their own
  // names.
  std::vector<torch::nn::Sequential> steps_;
  torch::nn::Linear classifier_{nullptr};
};

}  // namespace

Architecture densenet121() {
  return {{"densenet121", "densely connected network of 121 layers",
           "Huang et al., CVPR 2017; names of torchvision"},
          "classifier.bias",
          29,  // below, nothing is left after the last transition
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<Densenet>(input, classes, false);
          }};
}

Architecture densenet121_blur() {
  return {{"densenet121-blur",
           "densely connected network of 121 layers, blurred where every second pixel is kept",
           "Zhang, ICML 2019; names of its program, antialiased-cnns"},
          "classifier.bias",
          33,  // below, the last filter has nothing to mirror
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<Densenet>(input, classes, true);
          }};
}

}  // namespace leeway::nn
