#include "leeway/nn/train/l2d_augmenter.h"

#include <cmath>
#include <string>

#include "leeway/core/random.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/matching.h"

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
  std::vector<float> weights(count, 1.F / static_cast<float>(count));
  if (diverse) {
    Random random(seed_, stream("l2d branches"), step);
    std::vector<double> drawn_weights(count);
    double sum = 0;
    for (double& weight : drawn_weights) sum += weight = random.normal();
    for (std::size_t j = 0; j < count; ++j) weights[j] = static_cast<float>(drawn_weights[j] / sum);
  }
  const torch::Tensor noisy =
      torch::addcmul(x, noise_, normal_rows(x.sizes(), seed_, stream("l2d noise"), draw).to(x.device()), .01);
  std::vector<torch::Tensor> found;
  std::uint64_t number = 0;
  for (const auto& [side, scale, shift] : branches_) {
    const Kernel down(x.size(1), side, seed_, drawn, number++, x.device()),
        up(x.size(1), side, seed_, drawn, number++, x.device());
    const torch::Tensor maps = torch::conv2d(noisy, down.weight, down.bias);
    const torch::Tensor normalized =
        torch::instance_norm(maps, {}, {}, {}, {}, /*use_input_stats=*/true, /*momentum=*/0, /*eps=*/1e-5,
                             /*cudnn_enabled=*/false);
    found.push_back(torch::conv_transpose2d(torch::addcmul(shift, normalized, scale), up.weight, up.bias));
  }
  const Kernel colour(x.size(1), 1, seed_, drawn, number, x.device());
  found.push_back(torch::conv2d(noisy, colour.weight, colour.bias));
  if (diverse)
    found.back() =
        found.back() * dropout_rows(x.sizes(), .2, seed_, stream("l2d dropout"), draw).to(x.device());
  torch::Tensor sum = torch::zeros_like(x);
  for (std::size_t j = 0; j < found.size(); ++j) sum = torch::add(sum, found[j].tanh(), weights[j]);
  return sum.sigmoid();
}

torch::Tensor mmd_by_label(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& labels) {
  constexpr double rounding = 1e-20;  // between the squares of float64's 1e-16 and of float32's 1e-7
  const torch::Tensor present = std::get<0>(torch::_unique(labels));
  torch::Tensor sum = torch::zeros({}, a.options().dtype(torch::kFloat64));
  for (std::int64_t i = 0; i < present.numel(); ++i) {
    const torch::Tensor rows = (labels == present[i]).nonzero().flatten();
    const torch::Tensor x = a.index_select(0, rows).to(torch::kFloat64),
                        y = b.index_select(0, rows).to(torch::kFloat64);
    const torch::Tensor both = torch::cat({x, y}).detach(), mean = both.mean(0, /*keepdim=*/true);
    // the squared distances of all pairs of n rows sum to n times those from the mean
    const double width =
        2 * (both - mean).square().sum().item<double>() / static_cast<double>(both.size(0) - 1);
    if (width <= rounding * mean.square().sum().item<double>()) continue;
    sum = sum + kernel_mmd(x, y, {.least = 1 / (4 * width), .factor = 2, .count = 5});
  }
  return (sum / static_cast<double>(present.numel())).to(a.scalar_type());
}

}  // namespace leeway::nn
