#include "leeway/nn/model/layers.h"

#include <ATen/record_function.h>

#include <array>
#include <variant>

#include "leeway/nn/model/transposed_kernel.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t few_channels = 3, longest_stride = 2;
using Pair = std::vector<std::int64_t>;

torch::Tensor backward_plain(const torch::Tensor& gradient, const torch::Tensor& weight,
                             torch::IntArrayRef input, const Pair& stride, const Pair& padding) {
  RECORD_FUNCTION("leeway::convolution_transposed", (std::vector<c10::IValue>{gradient, weight}));
  const auto number = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  const auto both = [&](torch::IntArrayRef a) {
    return std::array<std::size_t, 2>{number(a[0]), number(a[1])};
  };
  const ConvolutionShape shape{number(input[1]),
                               number(input[2]),
                               number(input[3]),
                               number(gradient.size(1)),
                               both(gradient.sizes().slice(2)),
                               both(weight.sizes().slice(2)),
                               both(stride),
                               both(padding)};
  torch::Tensor result = torch::empty(input, torch::kFloat32);
  transposed_convolution(shape, number(input[0]), gradient.contiguous().data_ptr<float>(),
                         weight.contiguous().data_ptr<float>(), result.data_ptr<float>());
  return result;
}

Pair stride_of(const torch::nn::Conv2d& layer) {
  return {layer->options.stride()->begin(), layer->options.stride()->end()};
}

Pair padding_of(const torch::nn::Conv2d& layer) {
  using std::get;  // or that of the variant's own namespace, by LibTorch's version
  const auto padding = get<torch::ExpandingArray<2>>(layer->options.padding());
  return {padding->begin(), padding->end()};
}

class InputConvolution : public torch::autograd::Function<InputConvolution> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const c10::optional<torch::Tensor>& bias,
                               const Pair& stride, const Pair& padding) {
    context->save_for_backward({x, weight});
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    context->saved_data["bias"] = bias.has_value();
    return torch::conv2d(x, weight, bias, stride, padding);
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1], &gradient = gradients[0];
    const Pair stride = context->saved_data["stride"].toIntVector();
    const Pair padding = context->saved_data["padding"].toIntVector();
    Pair rest(2);  // rows and columns at the end that no kernel reaches
    for (std::size_t i = 0; i < 2; ++i) {
      const auto axis = static_cast<std::int64_t>(i) + 2;
      rest[i] = (x.size(axis) + 2 * padding[i] - weight.size(axis)) % stride[i];
    }
    torch::Tensor by_x, by_weight, by_bias;
    // Vectors of the kernel hold columns a stride apart: patches have too few of them.
    const bool plain = !torch::GradMode::is_enabled() && x.is_cpu() && x.scalar_type() == torch::kFloat32 &&
                       stride[1] <= longest_stride;
    if (context->needs_input_grad(0) && plain)
      by_x = backward_plain(gradient, weight, x.sizes(), stride, padding);
    else if (context->needs_input_grad(0))
      by_x = torch::conv_transpose2d(gradient, weight, {}, stride, padding, rest);
    if (context->needs_input_grad(1))
      by_weight = std::get<1>(at::convolution_backward(gradient, x, weight, c10::nullopt, stride, padding,
                                                       {1, 1}, false, {0, 0}, 1, {false, true, false}));
    if (context->saved_data["bias"].toBool() && context->needs_input_grad(2))
      by_bias = gradient.sum({0, 2, 3});
    return {by_x, by_weight, by_bias, {}, {}};
  }
};

}  // namespace

torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel, std::int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

torch::Tensor normalized_relu(torch::nn::BatchNorm2d& layer, const torch::Tensor& x) {
  return layer(x).relu_();
}

torch::Tensor map_means(const torch::Tensor& maps) { return maps.mean({2, 3}); }

torch::nn::Module& group(torch::nn::Module& owner, const std::string& name) {
  return *owner.register_module(name, std::make_shared<torch::nn::Module>());
}

torch::Tensor reverse_sigmoid(const torch::Tensor& probabilities) {
  constexpr double least = 1e-9, beta = 1, gamma = .1;
  const torch::Tensor y = probabilities.to(torch::kFloat64);
  const torch::Tensor disturbance =
      beta * (torch::sigmoid(gamma * torch::logit(y.clamp(least, 1 - least))) - .5);
  const torch::Tensor disturbed = (y - disturbance).clamp(0, 1);
  return disturbed / disturbed.sum(1, true);
}

torch::Tensor input_convolution(torch::nn::Conv2d& layer, const torch::Tensor& x) {
  if (!x.requires_grad() || x.size(1) > few_channels) return layer(x);
  const auto bias = layer->options.bias() ? c10::make_optional(layer->bias) : c10::nullopt;
  return InputConvolution::apply(x, layer->weight, bias, stride_of(layer), padding_of(layer));
}

torch::Tensor input_convolution_backward(const torch::nn::Conv2d& layer, const torch::Tensor& gradient,
                                         torch::IntArrayRef input) {
  return backward_plain(gradient, layer->weight, input, stride_of(layer), padding_of(layer));
}

}  // namespace leeway::nn
