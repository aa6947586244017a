#include "leeway/nn/model/input_convolution.h"
#include "leeway/nn/model/members.h"

namespace leeway::nn {
namespace {

// conv 16 4x4 /2 - relu - conv 32 4x4 /2 - relu - linear 100 - relu - linear k, named as in an nn.Sequential
// with its relu and flatten layers counted. The features are the 100 hidden units.
class SmallCnn : public Network {
 public:
  SmallCnn(const InputShape& input, std::int64_t classes) {
    const auto channels = static_cast<std::int64_t>(input.channels);
    const auto cells = static_cast<std::int64_t>((input.height / 4) * (input.width / 4));
    using torch::nn::Conv2dOptions;
    first_ = register_module("0", torch::nn::Conv2d(Conv2dOptions(channels, 16, 4).stride(2).padding(1)));
    second_ = register_module("2", torch::nn::Conv2d(Conv2dOptions(16, 32, 4).stride(2).padding(1)));
    hidden_ = register_module("5", torch::nn::Linear(32 * cells, 100));
    last_ = register_module("7", torch::nn::Linear(100, classes));
  }
  Forward forward(const torch::Tensor& x) override {
    const torch::Tensor maps = torch::relu(second_(torch::relu(input_convolution(first_, x))));
    const torch::Tensor features = torch::relu(hidden_(maps.flatten(1)));
    return {last_(features), features};
  }

 private:
  torch::nn::Conv2d first_{nullptr}, second_{nullptr};
  torch::nn::Linear hidden_{nullptr}, last_{nullptr};
};

}  // namespace

Architecture small_cnn() {
  return {"small-cnn",
          "two strided convolutions (16 and 32 maps), 100 hidden units",
          "Wong and Kolter, ICML 2018 (locuslab/convex_adversarial)",
          "7.bias",
          4,
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<SmallCnn>(input, classes);
          }};
}

}  // namespace leeway::nn
