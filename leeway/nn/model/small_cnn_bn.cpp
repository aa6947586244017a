#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/input_convolution.h"

namespace leeway::nn {
namespace {

// conv 16 4x4 /2 - norm - relu - conv 32 4x4 /2 - norm - relu - linear 100 - relu - linear k, named as in an nn.Sequential
// with its relu and flatten layers counted: small-cnn with batch normalization, whose statistics can be adapted. The
// features are the 100 hidden units.
class NormalizedSmallCnn : public Network {
 public:
  NormalizedSmallCnn(const InputShape& input, std::int64_t classes) {
    const auto channels = static_cast<std::int64_t>(input.channels);
    const auto cells = static_cast<std::int64_t>((input.height / 4) * (input.width / 4));
    using torch::nn::Conv2dOptions;
    first_ = register_module("0", torch::nn::Conv2d(Conv2dOptions(channels, 16, 4).stride(2).padding(1)));
    first_norm_ = register_module("1", torch::nn::BatchNorm2d(16));
    second_ = register_module("3", torch::nn::Conv2d(Conv2dOptions(16, 32, 4).stride(2).padding(1)));
    second_norm_ = register_module("4", torch::nn::BatchNorm2d(32));
    hidden_ = register_module("7", torch::nn::Linear(32 * cells, 100));
    last_ = register_module("9", torch::nn::Linear(100, classes));
  }
  [[nodiscard]] std::size_t stages() const override { return 2; }
  torch::Tensor stage(std::size_t number, const torch::Tensor& maps) override {
    return torch::relu(number > 0 ? second_norm_(second_(maps))
                                  : first_norm_(input_convolution(first_, maps)));
  }
  Forward finish(const torch::Tensor& maps) override {
    const torch::Tensor features = torch::relu(hidden_(maps.flatten(1)));
    return {last_(features), features};
  }

 private:
  torch::nn::Conv2d first_{nullptr}, second_{nullptr};
  torch::nn::BatchNorm2d first_norm_{nullptr}, second_norm_{nullptr};
  torch::nn::Linear hidden_{nullptr}, last_{nullptr};
};

}  // namespace

Architecture small_cnn_bn() {
  return {{"small-cnn-bn", "the same with batch normalization behind each convolution",
           "the layers of Wong and Kolter, ICML 2018; normalization of ours"},
          "9.bias",
          4,
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<NormalizedSmallCnn>(input, classes);
          }};
}

}  // namespace leeway::nn
