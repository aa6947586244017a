#include <fmt/format.h>

#include "leeway/nn/model/architecture.h"
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

// conv 1x1 (relu(bn(x))) to half the maps, and means of 2x2 pixels.
class Transition : public torch::nn::Module {
 public:
  explicit Transition(std::int64_t from) {
    norm_ = register_module("norm", torch::nn::BatchNorm2d(from));
    conv_ = register_module("conv", convolution(from, from / 2, 1));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return torch::avg_pool2d(conv_(normalized_relu(norm_, x)), 2);
  }

 private:
  torch::nn::BatchNorm2d norm_{nullptr};
  torch::nn::Conv2d conv_{nullptr};
};

// 7x7 convolution, maximum (stride 2 each); four dense blocks, transitions; relu(bn); 1024 means (features);
// linear.
class Densenet : public StagedNetwork {
 public:
  Densenet(const InputShape& input, std::int64_t classes) {
    torch::nn::Module& features = group(*this, "features");
    conv1_ =
        features.register_module("conv0", convolution(static_cast<std::int64_t>(input.channels), 64, 7, 2));
    norm0_ = features.register_module("norm0", torch::nn::BatchNorm2d(64));
    std::int64_t maps = 64;
    std::shared_ptr<Transition> transition;  // before a dense block, in its stage
    for (int block = 1; block <= 4; ++block) {
      torch::nn::Module& dense = group(features, fmt::format("denseblock{}", block));
      torch::nn::Sequential& steps = layers_.emplace_back();
      if (block > 1) {
        steps->push_back(transition);
        maps /= 2;
      }
      for (int i = 1; i <= dense_layers[block - 1]; ++i, maps += growth)
        steps->push_back(
            dense.register_module(fmt::format("denselayer{}", i), std::make_shared<DenseLayer>(maps)));
      if (block < 4)
        transition =
            features.register_module(fmt::format("transition{}", block), std::make_shared<Transition>(maps));
    }
    norm5_ = features.register_module("norm5", torch::nn::BatchNorm2d(maps));
    last_ = register_module("classifier", torch::nn::Linear(maps, classes));
  }

 private:
  torch::Tensor behind_first(const torch::Tensor& maps) override {
    return torch::max_pool2d(normalized_relu(norm0_, maps), 3, 2, 1);
  }
  torch::Tensor behind_last(const torch::Tensor& maps) override { return normalized_relu(norm5_, maps); }

  torch::nn::BatchNorm2d norm0_{nullptr}, norm5_{nullptr};
};

}  // namespace

Architecture densenet121() {
  return {{"densenet121", "densely connected network with 121 layers",
           "Huang et al., CVPR 2017; names as in torchvision"},
          "classifier.bias",
          29,  // below, nothing is left after the last transition
          made_as<Densenet>};
}

}  // namespace leeway::nn
