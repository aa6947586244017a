#include "leeway/nn/train/l2d_augmenter.h"

#include <cmath>
#include <string>

#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/nn/model/input_convolution.h"
#include "leeway/nn/train/random_tensors.h"

namespace leeway::nn {
namespace {

// A convolution's weights (c,c,k,k) and biases (c), uniform within 1 / sqrt(c k^2). Step 0: those that are fixed.
struct Kernel {
  torch::Tensor weight, bias;

  Kernel(std::int64_t channels, std::int64_t side, std::uint64_t seed, std::size_t step, std::uint64_t number,
         const torch::Device& device) {
    Random random(seed, stream("l2d convolutions"), static_cast<std::uint64_t>(step) << 8 | number);
    const double bound = 1 / std::sqrt(static_cast<double>(channels * side * side));
    const auto draw = [&](torch::IntArrayRef shape) {
      torch::Tensor tensor = torch::empty(shape);
      for (std::int64_t i = 0; i < tensor.numel(); ++i)
        tensor.data_ptr<float>()[i] = static_cast<float>((2 * random.uniform() - 1) * bound);
      return tensor.to(device);
    };
    weight = draw({channels, channels, side, side});
    bias = draw({channels});
  }
};

torch::Tensor normalized_maps(const torch::Tensor& x) {
  return torch::instance_norm(x, {}, {}, {}, {}, /*use_input_stats=*/true, /*momentum=*/0, /*eps=*/1e-5,
                              /*cudnn_enabled=*/false);
}

}  // namespace

L2dAugmenter::L2dAugmenter(const InputShape& images, std::uint64_t seed) : seed_(seed) {
  const auto c = static_cast<std::int64_t>(images.channels), h = static_cast<std::int64_t>(images.height),
             w = static_cast<std::int64_t>(images.width);
  noise_ = register_parameter("noise", torch::zeros({1}));
  for (const std::int64_t kernel : {9, 13, 17, 5}) {
    if (kernel > std::min(h, w)) continue;
    const std::string name = std::to_string(kernel);
    const torch::Tensor scale = torch::empty({c, h - kernel + 1, w - kernel + 1}), shift = scale.clone();
    Random random(seed, stream("l2d augmenter"), static_cast<std::uint64_t>(kernel));
    for (std::int64_t i = 0; i < scale.numel(); ++i) {
      scale.data_ptr<float>()[i] = static_cast<float>(1 + .1 * random.normal());
      shift.data_ptr<float>()[i] = static_cast<float>(.1 * random.normal());
    }
    branches_.push_back(
        {kernel, register_parameter("scale" + name, scale), register_parameter("shift" + name, shift)});
  }
}

torch::Tensor L2dAugmenter::forward(const torch::Tensor& x, std::size_t step, bool diverse) {
  const std::size_t drawn = diverse ? step : 0, draw = 2 * step + (diverse ? 1 : 0);
  const std::size_t count = branches_.size() + 1;
  std::vector<double> weights(count, 1. / static_cast<double>(count));
  if (diverse) {
    Random random(seed_, stream("l2d branches"), step);
    double sum = 0;
    for (double& weight : weights) sum += weight = random.normal();
    for (double& weight : weights) weight /= sum;
  }
  const torch::Tensor noisy =
      torch::addcmul(x, noise_, normal_rows(x.sizes(), seed_, stream("l2d noise"), draw).to(x.device()), .01);
  torch::Tensor sum = torch::zeros_like(x);
  std::uint64_t number = 0;
  for (std::size_t j = 0; j < branches_.size(); ++j) {
    const auto& [side, scale, shift] = branches_[j];
    const Kernel down(x.size(1), side, seed_, drawn, number++, x.device()),
        up(x.size(1), side, seed_, drawn, number++, x.device());
    const torch::Tensor seen = normalized_maps(fixed_convolution(noisy, down.weight, down.bias));
    sum = torch::add(
        sum, fixed_transposed_convolution(torch::addcmul(shift, seen, scale), up.weight, up.bias).tanh(),
        weights[j]);
  }
  const Kernel colour(x.size(1), 1, seed_, drawn, number, x.device());
  const torch::Tensor mask = dropout_rows(x.sizes(), .2, seed_, stream("l2d dropout"), draw).to(x.device());
  sum = torch::add(sum, (fixed_convolution(noisy, colour.weight, colour.bias) * mask).tanh(), weights.back());
  return sum.sigmoid();
}

}  // namespace leeway::nn
