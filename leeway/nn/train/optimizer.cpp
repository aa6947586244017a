#include "leeway/nn/train/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "leeway/core/csv.h"
#include "leeway/core/message.h"
#include "leeway/nn/train/adam.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, std::vector<torch::Tensor> weights, std::vector<double> rates)
      : options_(options), weights_(std::move(weights)), rates_(std::move(rates)) {
    rates_.resize(weights_.size(), 1);
    for (const torch::Tensor& weight : weights_)
      velocity_.push_back(torch::zeros_like(weight, torch::MemoryFormat::Contiguous).detach());
  }

  void step(const std::vector<torch::Tensor>& gradients, double factor) override {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (!gradients[i].defined()) continue;
      const torch::Tensor g =
          options_.weight_decay == 0 ? gradients[i] : gradients[i].add(weights_[i], options_.weight_decay);
      velocity_[i].mul_(options_.momentum).add_(g);
      const double rate = -factor * rates_[i] * options_.learning_rate;
      if (options_.nesterov)
        weights_[i].add_(g.add(velocity_[i], options_.momentum), rate);
      else
        weights_[i].add_(velocity_[i], rate);
    }
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state;
    for (std::size_t i = 0; i < velocity_.size(); ++i) state[fmt::format("velocity.{}", i)] = velocity_[i];
    return state;
  }

  void restore(const Tensors& state, const std::string& name) override {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < velocity_.size(); ++i)
      velocity_[i].copy_(take_tensor(state, fmt::format("velocity.{}", i), velocity_[i].sizes(), name));
  }

 private:
  OptimizerOptions options_;
  std::vector<torch::Tensor> weights_, velocity_;
  std::vector<double> rates_;
};

constexpr std::string_view schedules =
    "constant, cosine, inverse, linear:WARM-UP, step:EPOCH:EPOCH..., exponential:FACTOR";

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<torch::Tensor> weights,
                                          std::vector<double> rates) {
  if (options.kind == "sgd") return std::make_unique<Sgd>(options, std::move(weights), std::move(rates));
  if (options.kind != "adam") refuse("train: optimizer", "adam or sgd", in_quotes(options.kind));
  return std::make_unique<Adam>(std::move(weights), options.learning_rate, options.weight_decay,
                                std::move(rates), options.coupled);
}

Schedule::Schedule(std::string_view text) {
  const std::string_view whole = text;
  const auto wrong = [&] { refuse("train: schedule", "one of " + std::string(schedules), in_quotes(whole)); };
  const auto colon = text.find(':');
  name_ = text.substr(0, colon);
  while (text.find(':') != std::string_view::npos) {
    text = text.substr(text.find(':') + 1);
    const auto number = parse_number(text.substr(0, text.find(':')));
    if (!number || !std::isfinite(*number)) wrong();
    numbers_.push_back(*number);
  }
  const bool one = numbers_.size() == 1;
  bool legal = false;
  if (name_ == "constant" || name_ == "cosine" || name_ == "inverse") legal = numbers_.empty();
  if (name_ == "linear") legal = one && numbers_[0] >= 0 && numbers_[0] < 1;
  if (name_ == "exponential") legal = one && numbers_[0] > 0 && numbers_[0] <= 1;
  if (name_ == "step")
    legal = !numbers_.empty() && std::ranges::all_of(numbers_, [](double epoch) { return epoch >= 1; });
  if (!legal) wrong();
}

double Schedule::factor(std::size_t step, std::size_t steps, std::size_t epoch) const {
  const double p = static_cast<double>(step - 1) / static_cast<double>(std::max<std::size_t>(steps, 1));
  const auto passed = static_cast<double>(epoch - 1);  // epochs
  if (name_ == "cosine") return (1 + std::cos(std::numbers::pi * p)) / 2;
  if (name_ == "inverse") return std::pow(1 + 10 * p, -.75);
  if (name_ == "exponential") return std::pow(numbers_[0], passed);
  if (name_ == "linear") {
    const double now = static_cast<double>(step) / static_cast<double>(steps + 1), warm = numbers_[0];
    return now < warm ? now / warm : (1 - now) / (1 - warm);
  }
  double factor = 1;
  if (name_ == "step")
    for (const double end : numbers_) factor *= passed >= end ? .1 : 1;
  return factor;
}

}  // namespace leeway::nn
