#include "leeway/nn/train/adam.h"

#include <fmt/format.h>

#include <cmath>

#include "leeway/nn/train/adam_kernel.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

Adam::Adam(std::vector<torch::Tensor> weights, const OptimizerOptions& options, std::vector<double> rates)
    : weights_(std::move(weights)), rates_(std::move(rates)), options_(options) {
  rates_.resize(weights_.size(), 1);
  for (const torch::Tensor& weight : weights_) {
    first_.push_back(torch::zeros_like(weight, torch::MemoryFormat::Contiguous).detach());
    second_.push_back(first_.back().clone());
  }
}

void Adam::step(const std::vector<torch::Tensor>& gradients, double factor) {
  const double beta1 = .9, beta2 = .999, t = static_cast<double>(++steps_);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const double rate = factor * rates_[i] * options_.learning_rate, decay = options_.weight_decay;
    const AdamFactors factors{static_cast<float>(beta1),
                              static_cast<float>(beta2),
                              static_cast<float>(rate / (1 - std::pow(beta1, t))),
                              static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, t))),
                              1e-8f,
                              static_cast<float>(options_.coupled ? 1 : 1 - rate * decay)};
    torch::Tensor gradient = gradients[i];
    if (options_.coupled && decay != 0) gradient = gradient.add(weights_[i].detach(), decay);
    if (!weights_[i].is_cpu()) {
      step_elsewhere(i, gradient, factors);
      continue;
    }
    gradient = gradient.contiguous();
    float* const weight = weights_[i].data_ptr<float>();
    float* const first = first_[i].data_ptr<float>();
    float* const second = second_[i].data_ptr<float>();
    const float* const g = gradient.data_ptr<float>();
    at::parallel_for(0, weights_[i].numel(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
      adam_pass(weight + begin, first + begin, second + begin, g + begin,
                static_cast<std::size_t>(end - begin), factors);
    });
  }
}

// adam_pass by LibTorch's own operations.
void Adam::step_elsewhere(std::size_t i, const torch::Tensor& gradient, const AdamFactors& factors) {
  const torch::NoGradGuard no_grad;
  first_[i].mul_(factors.beta1).add_(gradient, 1 - factors.beta1);
  second_[i].mul_(factors.beta2).addcmul_(gradient, gradient, 1 - factors.beta2);
  const torch::Tensor root = second_[i].sqrt().mul_(factors.root_scale).add_(factors.epsilon);
  weights_[i].mul_(factors.keep).addcdiv_(first_[i], root, -factors.step);
}

Tensors Adam::state() const {
  Tensors state;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    state[fmt::format("first.{}", i)] = first_[i];
    state[fmt::format("second.{}", i)] = second_[i];
  }
  state["steps"] = torch::tensor({static_cast<std::int64_t>(steps_)}, torch::kInt64);
  return state;
}

void Adam::restore(const Tensors& state, const std::string& name) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    first_[i].copy_(take_tensor(state, fmt::format("first.{}", i), first_[i].sizes(), name));
    second_[i].copy_(take_tensor(state, fmt::format("second.{}", i), second_[i].sizes(), name));
  }
  steps_ = static_cast<std::size_t>(take_tensor(state, "steps", {1}, name).item<std::int64_t>());
}

}  // namespace leeway::nn
