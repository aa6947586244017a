#include "leeway/core/message.h"
#include "leeway/nn/model/heads.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t bottleneck_width = 256;

// linear 256 - linear k on the last hidden layer of the backbone, nothing between them. The features are the 256.
class Bottleneck : public HeadedNetwork {
 public:
  explicit Bottleneck(const Backbone& on) : HeadedNetwork(on, 0) {
    const std::int64_t units = hidden_units(backbone(), on.input);
    if (units == 0)
      refuse("architecture " + on.name, "a backbone with a last hidden layer",
             std::string(on.architecture.name));
    bottleneck_ = register_module("bottleneck", torch::nn::Linear(units, bottleneck_width));
    classifier_ = register_module("classifier", torch::nn::Linear(bottleneck_width, on.classes));
  }
  Forward forward(const torch::Tensor& x) override {
    const torch::Tensor features = bottleneck_(backbone().forward(x).features);
    return {classifier_(features), features};
  }

 private:
  torch::nn::Linear bottleneck_{nullptr}, classifier_{nullptr};
};

}  // namespace

HeadMember bottleneck_head() {
  return {{"bottleneck", "linear layer with 256 units before the last layer",
           "Long et al., NeurIPS 2018 (CDAN), as in the authors' code"},
          "classifier.bias",
          make_head<Bottleneck>};
}

}  // namespace leeway::nn
