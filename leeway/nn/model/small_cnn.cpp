#include <vector>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// conv 16 4x4 /2 - relu - conv 32 4x4 /2 - relu - linear 100 (features) - relu - linear k, named as in an
// nn.Sequential with relu and flatten. `normalizes`: batch normalization before each convolution's relu.
template <bool normalizes>
class SmallCnn : public Network {
 public:
  SmallCnn(const InputShape& input, std::int64_t classes) {
    const auto channels = static_cast<std::int64_t>(input.channels);
    const auto cells = static_cast<std::int64_t>((input.height / 4) * (input.width / 4));
    using torch::nn::Conv2dOptions;
    first_ = register_module("0", torch::nn::Conv2d(Conv2dOptions(channels, 16, 4).stride(2).padding(1)));
    if (normalizes) first_norm_ = register_module("1", torch::nn::BatchNorm2d(16));
    second_ = register_module(normalizes ? "3" : "2",
                              torch::nn::Conv2d(Conv2dOptions(16, 32, 4).stride(2).padding(1)));
    if (normalizes) second_norm_ = register_module("4", torch::nn::BatchNorm2d(32));
    hidden_ = register_module(normalizes ? "7" : "5", torch::nn::Linear(32 * cells, 100));
    last_ = register_module(normalizes ? "9" : "7", torch::nn::Linear(100, classes));
  }
  [[nodiscard]] std::size_t stages() const override { return 2; }
  torch::Tensor stage(std::size_t number, const torch::Tensor& maps) override {
    torch::Tensor made = number > 0 ? second_(maps) : input_convolution(first_, maps);
    if (normalizes) made = number > 0 ? second_norm_(made) : first_norm_(made);
    return torch::relu(made);
  }
  Forward finish(const torch::Tensor& maps) override {
    const torch::Tensor features = torch::relu(hidden_(maps.flatten(1)));
    return {last_(features), features};
  }
  Linearized linearize(const torch::Tensor& x) override {
    if (normalizes || !x.is_cpu()) return {};  // the last layer's kernel is for the CPU
    const torch::NoGradGuard no_grad;
    const torch::Tensor early = first_(x).relu_(), late = second_(early).relu_();
    const torch::Tensor features = hidden_(late.flatten(1)).relu_();
    return {last_(features),
            [this, sizes = x.sizes().vec(), early, late, features](const torch::Tensor& cotangents) {
              return backward(sizes, early, late, features, cotangents);
            }};
  }

 private:
  // All cotangents of a row in one pass: backward, a layer's work is small beside what it costs to be called.
  torch::Tensor backward(std::vector<std::int64_t> sizes, const torch::Tensor& early,
                         const torch::Tensor& late, const torch::Tensor& features,
                         const torch::Tensor& cotangents) {
    const torch::NoGradGuard no_grad;
    const std::int64_t n = cotangents.size(0), m = cotangents.size(1);
    // Gradients (n m, ...), where the numbers (n, ...) that went through a relu are positive.
    const auto through_relu = [&](torch::Tensor gradient, const torch::Tensor& passed) {
      gradient.view({n, m, -1}).mul_(passed.gt(0).to(torch::kFloat32).view({n, 1, -1}));
      return gradient;
    };
    torch::Tensor gradient = cotangents.flatten(0, 1).mm(last_->weight);
    gradient = through_relu(gradient, features).mm(hidden_->weight);
    gradient = through_relu(gradient, late).view({n * m, late.size(1), late.size(2), late.size(3)});
    const torch::Tensor before =
        torch::empty({n * m, early.size(1), early.size(2), early.size(3)});  // its shape alone
    gradient = std::get<0>(at::convolution_backward(gradient, before, second_->weight, c10::nullopt, {2, 2},
                                                    {1, 1}, {1, 1}, false, {0, 0}, 1, {true, false, false}));
    gradient = through_relu(gradient, early);
    sizes.front() = n * m;
    return input_convolution_backward(first_, gradient, sizes).view({n, m, sizes[1], sizes[2], sizes[3]});
  }

  torch::nn::Conv2d first_{nullptr}, second_{nullptr};
  torch::nn::BatchNorm2d first_norm_{nullptr}, second_norm_{nullptr};
  torch::nn::Linear hidden_{nullptr}, last_{nullptr};
};

}  // namespace

Architecture small_cnn() {
  return {{"small-cnn", "two strided convolutions (16 and 32 maps), 100 hidden units",
           "Wong and Kolter, ICML 2018 (locuslab/convex_adversarial)"},
          "7.bias",
          4,
          made_as<SmallCnn<false>>};
}

Architecture small_cnn_bn() {
  return {{"small-cnn-bn", "small-cnn with batch normalization after each convolution",
           "layers as in Wong and Kolter, ICML 2018; our normalization"},
          "9.bias",
          4,
          made_as<SmallCnn<true>>};
}

}  // namespace leeway::nn
