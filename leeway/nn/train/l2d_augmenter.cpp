#include "leeway/nn/train/l2d_augmenter.h"

#include <cmath>
#include <string>

#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/nn/detail/random_tensors.h"
#include "leeway/nn/model/input_convolution.h"
#include "leeway/nn/train/l2d_kernel.h"

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

// S norm(x) + M.
class ScaledMaps : public torch::autograd::Function<ScaledMaps> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& maps,
                               const torch::Tensor& scale, const torch::Tensor& shift) {
    const torch::Tensor x = maps.contiguous(), mean = torch::empty({2, x.size(0) * x.size(1)}),
                        result = torch::empty_like(x);
    scale_maps(shape_of(x), x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(),
               mean[0].data_ptr<float>(), mean[1].data_ptr<float>(), result.data_ptr<float>());
    context->save_for_backward({x, scale, mean});
    return result;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &scale = saved[1], &mean = saved[2];
    const torch::Tensor by_x = torch::empty_like(x), by_scale = torch::empty_like(scale),
                        by_shift = torch::empty_like(scale);
    scale_maps_slopes(shape_of(x), x.data_ptr<float>(), scale.data_ptr<float>(), mean[0].data_ptr<float>(),
                      mean[1].data_ptr<float>(), gradients[0].contiguous().data_ptr<float>(),
                      by_x.data_ptr<float>(), by_scale.data_ptr<float>(), by_shift.data_ptr<float>());
    return {by_x, by_scale, by_shift};
  }

 private:
  static MapShape shape_of(const torch::Tensor& x) {
    return {static_cast<std::size_t>(x.size(0)), static_cast<std::size_t>(x.size(1)),
            static_cast<std::size_t>(x.size(2) * x.size(3))};
  }
};

torch::Tensor scaled(const torch::Tensor& maps, const torch::Tensor& scale, const torch::Tensor& shift) {
  if (maps.is_cpu()) return ScaledMaps::apply(maps, scale, shift);
  return torch::addcmul(
      shift,
      torch::instance_norm(maps, {}, {}, {}, {}, /*use_input_stats=*/true, /*momentum=*/0, /*eps=*/1e-5,
                           /*cudnn_enabled=*/false),
      scale);
}

// sigmoid(sum_j w_j tanh(branch j)), (n,c,h,w). The branches are nobody else's: they become their tanh.
class Mix : public torch::autograd::Function<Mix> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, at::TensorList branches,
                               const std::vector<float>& weights) {
    std::vector<torch::Tensor> saved;
    std::vector<float*> of;
    for (const torch::Tensor& branch : branches) {
      saved.push_back(branch.contiguous());
      of.push_back(saved.back().data_ptr<float>());
    }
    torch::Tensor mixed = torch::empty_like(saved[0]);
    mix_branches(of, weights, static_cast<std::size_t>(mixed.numel()), mixed.data_ptr<float>());
    saved.push_back(mixed);
    context->save_for_backward(saved);
    context->saved_data["weights"] = std::vector<double>(weights.begin(), weights.end());
    return mixed;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const std::vector<double> weights = context->saved_data["weights"].toDoubleVector();
    const torch::Tensor gradient = gradients[0].contiguous(), &mixed = saved.back();
    torch::autograd::tensor_list slopes(saved.size());  // the last is that of the weights: none
    for (std::size_t j = 0; j < weights.size(); ++j) {
      slopes[j] = torch::empty_like(mixed);
      mix_slope(saved[j].data_ptr<float>(), static_cast<float>(weights[j]), mixed.data_ptr<float>(),
                gradient.data_ptr<float>(), static_cast<std::size_t>(mixed.numel()),
                slopes[j].data_ptr<float>());
    }
    return slopes;
  }
};

torch::Tensor mix(const std::vector<torch::Tensor>& branches, const std::vector<float>& weights) {
  if (branches[0].is_cpu()) return Mix::apply(at::TensorList(branches), weights);
  torch::Tensor sum = torch::zeros_like(branches[0]);
  for (std::size_t j = 0; j < branches.size(); ++j) sum = torch::add(sum, branches[j].tanh(), weights[j]);
  return sum.sigmoid();
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
    const torch::Tensor seen = scaled(fixed_convolution(noisy, down.weight, down.bias), scale, shift);
    found.push_back(fixed_transposed_convolution(seen, up.weight, up.bias));
  }
  const Kernel colour(x.size(1), 1, seed_, drawn, number, x.device());
  found.push_back(fixed_convolution(noisy, colour.weight, colour.bias));
  if (diverse)
    found.back() =
        found.back() * dropout_rows(x.sizes(), .2, seed_, stream("l2d dropout"), draw).to(x.device());
  return mix(found, weights);
}

}  // namespace leeway::nn
