#include "leeway/nn/attack/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/nn/detail/parameters.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn {
namespace {

// Of the loss that leads away from the targets.
torch::Tensor loss_of(Loss loss, const torch::Tensor& logits, const torch::Tensor& targets) {
  const torch::Tensor column = targets.unsqueeze(1);
  const torch::Tensor others = logits.scatter(1, column, -INFINITY),
                      own = logits.gather(1, column).squeeze(1);
  if (loss == Loss::difference) return std::get<0>(others.max(1)) - own;
  const torch::Tensor margin = torch::logsumexp(others, 1) - own;
  return loss == Loss::margin ? margin : torch::nn::functional::softplus(margin);
}

Margin measure(const Problem& problem, const torch::Tensor& logits) {
  const torch::Tensor loss = loss_of(problem.loss, logits, problem.targets);
  const torch::Tensor reached = logits.detach().argmax(1) == problem.targets;
  return problem.targeted ? Margin{-loss, reached, {}} : Margin{loss, reached.logical_not(), {}};
}

}  // namespace

// Each is defined in a file of its name.
AttackMember pgd();
AttackMember fgsm();
AttackMember noise();
AttackMember fmn();

std::span<const AttackMember> attacks() {
  static const AttackMember list[] = {pgd(), fgsm(), noise(), fmn()};
  return list;
}

const AttackMember& attack(std::string_view name) { return find_member(attacks(), "attack", name); }

AttackOptions complete_attack(const AttackOptions& options) {
  const AttackMember& member = attack(options.attack);
  const std::string name = "attack " + options.attack;
  AttackOptions complete = options;
  if (std::ranges::find(member.norms, options.norm) == member.norms.end()) {
    std::string norms;
    for (const Norm norm : member.norms) norms += (norms.empty() ? "" : ", ") + std::string(name_of(norm));
    refuse(name, "a norm among " + norms, std::string(name_of(options.norm)));
  }
  if (member.minimum_norm && options.eps)
    refuse(name, "no radius, because this attack minimizes it", fmt::format("eps {}", *options.eps));
  if (!member.minimum_norm) {
    complete.eps = options.eps.value_or(default_eps);
    if (!(*complete.eps >= 0 && std::isfinite(*complete.eps)))
      refuse(name + ": eps", "a finite number, at least 0", fmt::format("{}", *complete.eps));
  }
  complete.loss = options.loss.value_or(member.loss);
  complete.parameters = complete_parameters(name, member.parameters, options.parameters);
  return complete;
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
  torch::Tensor zero_gradient, start_loss;
  for (std::size_t i = 0; i < steps; ++i) {
    const Margin here = margin_with_gradient(problem, x);
    if (best) best->offer(x, here);
    const torch::NoGradGuard no_grad;
    if (i == 0) zero_gradient = zero_rows(here.gradient), start_loss = here.value;
    x = ball.step(x, here.gradient, step);
  }
  if (best) best->offer(x, margin(problem, x));
  return {x, zero_gradient, start_loss};
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
  x_ = torch::where(per_row(better), x, x_);
  value_ = torch::where(better, margin.value, value_);
  success_ = torch::where(better, margin.success, success_);
}

Nearest::Nearest(const Problem& problem)
    : x_(problem.clean),
      norms_(torch::full({problem.clean.size(0)}, INFINITY, problem.clean.options().dtype(torch::kFloat64))) {
}

void Nearest::offer(const torch::Tensor& x, const torch::Tensor& norms, const torch::Tensor& success) {
  const torch::Tensor nearer = success & (norms < norms_);
  x_ = torch::where(per_row(nearer), x, x_);
  norms_ = torch::where(nearer, norms, norms_);
}

}  // namespace leeway::nn
