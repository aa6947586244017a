#include "leeway/nn/attack/attack.h"

#include <fmt/format.h>

#include <cmath>

#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/nn/tensors.h"

namespace leeway::nn {
namespace {

Margin measure(const Problem& problem, const torch::Tensor& logits) {
  const torch::Tensor column = problem.targets.unsqueeze(1);
  const torch::Tensor others = logits.scatter(1, column, -INFINITY);
  return {torch::logsumexp(others, 1) - logits.gather(1, column).squeeze(1),
          logits.detach().argmax(1) != problem.targets,
          {}};
}

}  // namespace

std::span<const AttackMember> attacks() {
  static const AttackMember list[] = {
      pgd(),
      fgsm(),
      noise(),
  };
  return list;
}

const AttackMember& attack(std::string_view name) { return find_member(attacks(), "attack", name); }

void check_attack(const AttackOptions& options) {
  (void)attack(options.attack);
  if (!(options.eps >= 0 && std::isfinite(options.eps)))
    refuse("attack: eps", "a finite number, at least 0", fmt::format("{}", options.eps));
  if (options.relative_step && !(*options.relative_step > 0 && std::isfinite(*options.relative_step)))
    refuse("attack: relative step", "a positive number", fmt::format("{}", *options.relative_step));
  if (options.steps == 0) refuse("attack: steps", "at least 1", "0");
  if (options.restarts == 0) refuse("attack: restarts", "at least 1", "0");
}

Margin margin(const Problem& problem, const torch::Tensor& x) {
  const torch::NoGradGuard no_grad;
  return measure(problem, problem.forward(x).logits);
}

Margin margin_with_gradient(const Problem& problem, const torch::Tensor& x) {
  const torch::Tensor input = x.detach().requires_grad_();
  Margin result = measure(problem, problem.forward(input).logits);
  result.gradient = gradient_of(result.value.sum(), input);
  result.value = result.value.detach();
  return result;
}

Attacked ascend(const Problem& problem, const Ball& ball, torch::Tensor x, double step, std::size_t steps,
                Best* best) {
  torch::Tensor zero_gradient;
  for (std::size_t i = 0; i < steps; ++i) {
    const Margin here = margin_with_gradient(problem, x);
    if (best) best->offer(x, here);
    const torch::NoGradGuard no_grad;
    if (i == 0) zero_gradient = here.gradient.flatten(1).abs().amax(1) == 0;
    x = ball.step(x, here.gradient, step);
  }
  if (best) best->offer(x, margin(problem, x));
  return {x, zero_gradient};
}

void Best::offer(const torch::Tensor& x, const Margin& margin) {
  const torch::NoGradGuard no_grad;
  if (!x_.defined()) {
    x_ = x.clone();
    value_ = margin.value;
    success_ = margin.success;
    return;
  }
  const torch::Tensor better =
      (margin.success & success_.logical_not()) | ((margin.success == success_) & (margin.value > value_));
  x_ = torch::where(better.view({-1, 1, 1, 1}), x, x_);
  value_ = torch::where(better, margin.value, value_);
  success_ = torch::where(better, margin.success, success_);
}

}  // namespace leeway::nn
