#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/layers.h"
#include "leeway/shift/jpeg.h"

namespace leeway::nn {
namespace {

constexpr int jpeg_quality = 50;  // the Adversarial Robustness Toolbox' default

// JPEG compression with straight-through gradients (Athalye, Carlini and Wagner, ICML 2018), also if clipped.
class Compression : public torch::autograd::Function<Compression> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& images) {
    torch::Tensor result = images.detach().to(torch::kCPU, torch::kFloat32).contiguous().clone();
    const auto height = static_cast<std::size_t>(result.size(2)),
               width = static_cast<std::size_t>(result.size(3));
    const auto size = static_cast<std::size_t>(result.size(1)) * height * width;
    for (std::int64_t i = 0; i < result.size(0); ++i)
      shift::compress_jpeg({result.data_ptr<float>() + static_cast<std::size_t>(i) * size, size}, height,
                           width, jpeg_quality);
    return result.to(images.device());
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext*,
                                               const torch::autograd::tensor_list& gradients) {
    return {gradients[0]};
  }
};

// JPEG - three times (conv 3x3 - relu - maximum of 2x2) with 32, 64 and 128 maps (the features) - linear k -
// reverse sigmoid, named as in an nn.Sequential: 0, 3, 6, 10. Training compresses, too, but uses the logits
// before the reverse sigmoid. Outputs are log-probabilities.
class DefendedCnn : public Network {
 public:
  DefendedCnn(const InputShape& input, std::int64_t classes) {
    auto from = static_cast<std::int64_t>(input.channels);
    for (const auto& [name, maps] : {std::pair("0", 32), std::pair("3", 64), std::pair("6", 128)}) {
      convolutions_.push_back(
          register_module(name, torch::nn::Conv2d(torch::nn::Conv2dOptions(from, maps, 3).padding(1))));
      from = maps;
    }
    const auto cells = static_cast<std::int64_t>((input.height / 8) * (input.width / 8));
    last_ = register_module("10", torch::nn::Linear(from * cells, classes));
  }
  torch::Tensor prepare(const torch::Tensor& images) override { return Compression::apply(images); }
  [[nodiscard]] std::size_t stages() const override { return convolutions_.size(); }
  torch::Tensor stage(std::size_t number, const torch::Tensor& maps) override {
    return torch::max_pool2d(input_convolution(convolutions_[number], maps).relu_(), 2);
  }
  Forward finish(const torch::Tensor& maps) override {
    const torch::Tensor features = maps.flatten(1);
    const torch::Tensor logits = last_(features);
    if (is_training()) return {logits, features};
    const torch::Tensor y = torch::softmax(logits.to(torch::kFloat64), 1);
    return {reverse_sigmoid(y).log().to(torch::kFloat32), features};
  }

 private:
  std::vector<torch::nn::Conv2d> convolutions_;
  torch::nn::Linear last_{nullptr};
};

}  // namespace

Architecture defended_cnn() {
  return {{"defended-cnn", "JPEG of quality 50, three convolutions (32, 64 and 128 maps), reverse sigmoid",
           "Das et al., 2017; Lee et al., 2018"},
          "10.bias",
          8,
          made_as<DefendedCnn>};
}

}  // namespace leeway::nn
