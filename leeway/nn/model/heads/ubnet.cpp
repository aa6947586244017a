#include "leeway/nn/model/heads/ubnet.h"

#include <cmath>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {

constexpr std::int64_t tap_maps = 64, tap_cells = 7;

UbNet::UbNet(const Backbone& on) : HeadedNetwork(on, 2) {
  for (torch::Tensor& weight : backbone().parameters()) weight.requires_grad_(false);
  backbone().eval();
  using torch::nn::Conv2dOptions;
  torch::nn::Module& taps = group(*this, "taps");
  for (const StageShape& shape : stage_shapes(backbone(), on.input))
    taps_.push_back(taps.register_module(std::to_string(taps_.size()),
                                         torch::nn::Conv2d(Conv2dOptions(shape.channels, tap_maps, 1))));
  const std::int64_t maps = tap_maps * count();
  convolution_ = register_module("convolution",
                                 torch::nn::Conv2d(Conv2dOptions(maps, maps, 3).padding(1).groups(count())));
  cells_ = group(*this, "cells").register_parameter("weight", torch::zeros({maps, tap_cells, tap_cells}));
  torch::nn::Module& classifiers = group(*this, "classifiers");
  for (std::int64_t l = 0; l < count(); ++l)
    classifiers_.push_back(
        classifiers.register_module(std::to_string(l), torch::nn::Linear(tap_maps, on.classes)));
}

Forward UbNet::forward(const torch::Tensor& x) {
  std::vector<torch::Tensor> seen;
  torch::Tensor maps = x;
  for (std::size_t l = 0; l < taps_.size(); ++l) {
    maps = backbone().stage(l, maps);
    seen.push_back(torch::leaky_relu(taps_[l](torch::adaptive_avg_pool2d(maps, {tap_cells, tap_cells})), .1));
  }
  const torch::Tensor features = map_means(convolution_(torch::cat(seen, 1)) * cells_);
  torch::Tensor logits;
  for (std::size_t l = 0; l < classifiers_.size(); ++l) {
    const auto first = static_cast<std::int64_t>(l) * tap_maps;
    const torch::Tensor told = classifiers_[l](features.slice(1, first, first + tap_maps));
    logits = logits.defined() ? logits + told : told;
  }
  return {logits / static_cast<double>(count()), features};
}

void UbNet::train(bool on) {
  Network::train(on);
  backbone().eval();
}

// Layers: U(-b, b), b = sqrt(6 / (inputs + outputs)) (Glorot and Bengio), biases unchanged; cells: N(0,1).
void UbNet::initialize_own(std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  std::uint64_t number = 0;
  for (auto& item : named_parameters()) {
    torch::Tensor& tensor = item.value();
    if (item.key().starts_with("backbone.") || tensor.dim() < 2) continue;
    Random random(seed, stream("UBNet weights"), number++);
    const std::int64_t cells = tensor.dim() == 4 ? tensor.size(2) * tensor.size(3) : 1;
    const double bound = std::sqrt(6. / static_cast<double>((tensor.size(0) + tensor.size(1)) * cells));
    const bool is_cells = tensor.dim() == 3;
    float* const data = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      data[i] = static_cast<float>(is_cells ? random.normal() : (2 * random.uniform() - 1) * bound);
  }
}

torch::Tensor UbNet::convolution_rows() const { return convolution_->weight.view({count(), -1}); }

torch::Tensor UbNet::cell_rows() const { return cells_.view({count(), -1}); }

HeadMember ubnet_head() {
  return {{"ubnet", "orthogonal views of every stage of a frozen network", "Jeon et al., CVPR 2022"},
          "classifiers.0.bias",
          make_head<UbNet>};
}

}  // namespace leeway::nn
