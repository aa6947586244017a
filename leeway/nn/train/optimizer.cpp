#include "leeway/nn/train/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "leeway/core/message.h"
#include "leeway/io/csv.h"
#include "leeway/nn/detail/parameters.h"
#include "leeway/nn/train/adam_kernel.h"

namespace leeway::nn {
namespace {

// Optimizers with moments of each weight tensor, which the state holds as "NAME.0", "NAME.1", ...
class MomentOptimizer : public Optimizer {
 public:
  MomentOptimizer(const OptimizerOptions& options, std::vector<torch::Tensor> weights,
                  std::vector<double> rates, const std::vector<std::string>& names)
      : options_(options), weights_(std::move(weights)), rates_(std::move(rates)) {
    rates_.resize(weights_.size(), 1);
    for (const std::string& name : names)
      for (const torch::Tensor& weight : weights_)
        moments_[name].push_back(torch::zeros_like(weight, torch::MemoryFormat::Contiguous).detach());
  }

  void archive(Archive& state) override {
    for (const auto& [name, moments] : moments_)
      for (std::size_t i = 0; i < moments.size(); ++i) state.add(fmt::format("{}.{}", name, i), moments[i]);
  }

 protected:
  OptimizerOptions options_;
  std::vector<torch::Tensor> weights_;
  std::vector<double> rates_;
  std::map<std::string, std::vector<torch::Tensor>> moments_;
};

class Sgd : public MomentOptimizer {
 public:
  Sgd(const OptimizerOptions& options, std::vector<torch::Tensor> weights, std::vector<double> rates)
      : MomentOptimizer(options, std::move(weights), std::move(rates), {"velocity"}) {}

  void step(const std::vector<torch::Tensor>& gradients, double factor) override {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (!gradients[i].defined()) continue;
      const double decay = options_.weight_decay;
      const torch::Tensor g = decay == 0 ? gradients[i] : gradients[i].add(weights_[i], decay);
      torch::Tensor& velocity = moments_["velocity"][i];
      velocity.mul_(options_.momentum).add_(g);
      const double rate = -factor * rates_[i] * options_.learning_rate;
      weights_[i].add_(options_.kind == "nesterov" ? g.add(velocity, options_.momentum) : velocity, rate);
    }
  }
};

// Adam with decoupled weight decay (Kingma and Ba, ICLR 2015, algorithm 1; Loshchilov and Hutter, ICLR 2019).
//
//   m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2
//   w <- (1 - lr decay) w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8),   b1 = .9, b2 = .999, t >= 1
//
// With `coupled` decay, g is gradient + decay w and w is not shrunk (torch.optim.Adam). Fused on the CPU. The
// state's "steps" is t.
class Adam : public MomentOptimizer {
 public:
  Adam(const OptimizerOptions& options, std::vector<torch::Tensor> weights, std::vector<double> rates)
      : MomentOptimizer(options, std::move(weights), std::move(rates), {"first", "second"}) {}

  void step(const std::vector<torch::Tensor>& gradients, double factor) override {
    const double beta1 = .9, beta2 = .999, t = static_cast<double>(++*steps_.data_ptr<std::int64_t>());
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
      update(weights_[i], moments_["first"][i], moments_["second"][i], gradient.contiguous(), factors);
    }
  }

  void archive(Archive& state) override {
    MomentOptimizer::archive(state);
    state.add("steps", steps_);
  }

 private:
  // By adam_pass on the CPU, elsewhere by the same operations of LibTorch.
  static void update(torch::Tensor& weight, torch::Tensor& first, torch::Tensor& second,
                     const torch::Tensor& gradient, const AdamFactors& factors) {
    if (weight.is_cpu()) {
      float *const w = weight.data_ptr<float>(), *const m = first.data_ptr<float>(),
                   *const v = second.data_ptr<float>();
      const float* const g = gradient.data_ptr<float>();
      at::parallel_for(0, weight.numel(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
        adam_pass(w + begin, m + begin, v + begin, g + begin, static_cast<std::size_t>(end - begin), factors);
      });
      return;
    }
    const torch::NoGradGuard no_grad;
    first.mul_(factors.beta1).add_(gradient, 1 - factors.beta1);
    second.mul_(factors.beta2).addcmul_(gradient, gradient, 1 - factors.beta2);
    const torch::Tensor root = second.sqrt().mul_(factors.root_scale).add_(factors.epsilon);
    weight.mul_(factors.keep).addcdiv_(first, root, -factors.step);
  }

  torch::Tensor steps_ = torch::zeros({1}, torch::kInt64);
};

constexpr std::string_view schedules =
    "constant, cosine, inverse, linear:SHARE, step:EPOCH:EPOCH..., exponential:FACTOR, warm-up:EPOCHS";

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::vector<torch::Tensor> weights,
                                          std::vector<double> rates) {
  if (options.kind == "sgd" || options.kind == "nesterov")
    return std::make_unique<Sgd>(options, std::move(weights), std::move(rates));
  if (options.kind != "adam") refuse("train: optimizer", "adam, sgd or nesterov", in_quotes(options.kind));
  return std::make_unique<Adam>(options, std::move(weights), std::move(rates));
}

Schedule::Schedule(std::string_view text) {
  const auto wrong = [&] { refuse("train: schedule", "one of " + std::string(schedules), in_quotes(text)); };
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> words = split(part, ':');
    Factor factor{std::string(words.front())};
    for (const std::string_view word : std::span(words).subspan(1)) {
      const auto number = parse_number(word);
      if (!number || !std::isfinite(*number)) wrong();
      factor.numbers.push_back(*number);
    }
    if (!factor.legal()) wrong();
    factors_.push_back(std::move(factor));
  }
}

bool Schedule::Factor::legal() const {
  const auto is_epoch = [](double epoch) { return epoch >= 1; };
  const auto is_factor = [](double factor) { return factor > 0 && factor <= 1; };
  const bool one = numbers.size() == 1;
  if (name == "constant" || name == "cosine" || name == "inverse") return numbers.empty();
  if (name == "linear") return one && numbers[0] >= 0 && numbers[0] < 1;
  if (name == "exponential") return one && is_factor(numbers[0]);
  if (name == "step") return !numbers.empty() && std::ranges::all_of(numbers, is_epoch);
  if (name == "warm-up") return one && is_epoch(numbers[0]);
  return false;
}

double Schedule::Factor::at(std::size_t step, std::size_t steps, std::size_t epoch) const {
  const auto passed = static_cast<double>(epoch - 1);  // epochs
  const double p = static_cast<double>(step - 1) / static_cast<double>(std::max<std::size_t>(steps, 1));
  if (name == "cosine") return (1 + std::cos(std::numbers::pi * p)) / 2;
  if (name == "inverse") return std::pow(1 + 10 * p, -.75);
  if (name == "exponential") return std::pow(numbers[0], passed);
  if (name == "warm-up") return std::min(1., (passed + 1) / numbers[0]);
  if (name == "linear") {
    const double now = static_cast<double>(step) / static_cast<double>(steps + 1), warm = numbers[0];
    return now < warm ? now / warm : (1 - now) / (1 - warm);
  }
  double factor = 1;
  if (name == "step")
    for (const double end : numbers) factor *= passed >= end ? .1 : 1;
  return factor;
}

double Schedule::factor(std::size_t step, std::size_t steps, std::size_t epoch) const {
  double product = 1;
  for (const Factor& factor : factors_) product *= factor.at(step, steps, epoch);
  return product;
}

}  // namespace leeway::nn
