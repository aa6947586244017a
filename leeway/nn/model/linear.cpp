#include "leeway/nn/model/architecture.h"

namespace leeway::nn {
namespace {

// F(x) = W x + b over the flattened image.
class Linear : public Network {
 public:
  Linear(const InputShape& input, std::int64_t classes) {
    weight_ =
        register_parameter("weight", torch::empty({classes, static_cast<std::int64_t>(input.pixels())}));
    bias_ = register_parameter("bias", torch::empty({classes}));
  }
  Forward forward(const torch::Tensor& x) override {
    return {torch::nn::functional::linear(x.flatten(1), weight_, bias_), {}};
  }

 private:
  torch::Tensor weight_, bias_;
};

}  // namespace

Architecture linear() {
  return {{"linear", "logistic regression on the pixels", ""}, "bias", 1, made_as<Linear>};
}

}  // namespace leeway::nn
