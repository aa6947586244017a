#include "leeway/nn/model/architecture.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t mlp_units = 256;

// flatten - three times (linear 256 - relu) - linear k, named as in an nn.Sequential. Features: the last 256
// units.
class Mlp : public Network {
 public:
  Mlp(const InputShape& input, std::int64_t classes) {
    auto inputs = static_cast<std::int64_t>(input.pixels());
    for (const char* const name : {"1", "3", "5"}) {
      hidden_.push_back(register_module(name, torch::nn::Linear(inputs, mlp_units)));
      inputs = mlp_units;
    }
    last_ = register_module("7", torch::nn::Linear(mlp_units, classes));
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
          made_as<Mlp>};
}

}  // namespace leeway::nn
