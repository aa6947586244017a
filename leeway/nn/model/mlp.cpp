#include "leeway/nn/model/architecture.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t hidden_units = 256;

// flatten - three times (linear 256 - relu) - linear k, named as in an nn.Sequential with its flatten and relu layers
// counted: 1, 3, 5, 7. The features are the last 256 hidden units.
class Mlp : public Network {
 public:
  Mlp(const InputShape& input, std::int64_t classes) {
    auto inputs = static_cast<std::int64_t>(input.pixels());
    for (const char* const name : {"1", "3", "5"}) {
      hidden_.push_back(register_module(name, torch::nn::Linear(inputs, hidden_units)));
      inputs = hidden_units;
    }
    last_ = register_module("7", torch::nn::Linear(hidden_units, classes));
  }
  Forward forward(const torch::Tensor& x) override {
    torch::Tensor features = x.flatten(1);
    for (torch::nn::Linear& layer : hidden_) features = layer(features).relu_();
    return {last_(features), features};
  }

 private:
  std::vector<torch::nn::Linear> hidden_;
  torch::nn::Linear last_{nullptr};
};

}  // namespace

Architecture mlp() {
  return {{"mlp", "four fully connected layers, 256 hidden units each", "ConDS, Table 8"},
          "7.bias",
          1,
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<Mlp>(input, classes);
          }};
}

}  // namespace leeway::nn
