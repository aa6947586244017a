#include "leeway/core/message.h"
#include "leeway/nn/model/heads.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t bottleneck_width = 256;

// linear 256 - linear k on the backbone's last hidden layer, nothing between them, or batch normalization and ReLU. The features are the 256.
class Bottleneck : public HeadedNetwork {
 public:
  Bottleneck(const Backbone& on, bool normalized) : HeadedNetwork(on, 0) {
    const std::int64_t units = hidden_units(backbone(), on.input);
    if (units == 0)
      refuse("architecture " + on.name, "a backbone with a last hidden layer",
             std::string(on.architecture.name));
    bottleneck_ = register_module("bottleneck", torch::nn::Linear(units, bottleneck_width));
    if (normalized)
      normalization_ = register_module("normalization", torch::nn::BatchNorm1d(bottleneck_width));
    classifier_ = register_module("classifier", torch::nn::Linear(bottleneck_width, on.classes));
  }
  Forward forward(const torch::Tensor& x) override {
    torch::Tensor features = bottleneck_(backbone().forward(x).features);
    if (normalization_) features = torch::relu(normalization_(features));
    return {classifier_(features), features};
  }

 private:
  torch::nn::Linear bottleneck_{nullptr}, classifier_{nullptr};
  torch::nn::BatchNorm1d normalization_{nullptr};
};

}  // namespace

HeadMember bottleneck_head() {
  return {
      {"bottleneck", "linear layer of 256 units before the last",
       "Long et al., NeurIPS 2018 (CDAN), its program"},
      "classifier.bias",
      [](const Backbone& on) -> std::shared_ptr<Network> { return std::make_shared<Bottleneck>(on, false); }};
}

HeadMember bottleneck_bn_head() {
  return {
      {"bottleneck-bn", "the same with batch normalization and ReLU behind it",
       "Jiang et al., Transfer Learning Library (TLL)"},
      "classifier.bias",
      [](const Backbone& on) -> std::shared_ptr<Network> { return std::make_shared<Bottleneck>(on, true); }};
}

}  // namespace leeway::nn
