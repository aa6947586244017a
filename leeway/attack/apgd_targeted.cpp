#include <algorithm>

#include "leeway/attack/detail/apgd.h"
#include "leeway/core/random.h"

namespace leeway::attack {
namespace {

// Towards the class to reach, from the most likely other class at the current point.
double loss_to_reach(std::size_t t, Row logits, MutableRow gradient) {
  const std::vector<std::size_t> top = largest_classes(logits, 2);
  return targeted_dlr(logits, top[0] == t ? top[1] : top[0], t, gradient);
}

// Auto-PGD on the targeted DLR loss (detail/apgd.h) for each of the most likely wrong classes at the clean
// row. The best point of all runs is kept. If the problem has a target class, the attack aims at this class
// only, and the class y of the loss is the most likely other class at the current point.
//
// Deviations: those of apgd.cpp. The divisor needs four logits; with fewer classes, or if the divisor is 0,
// the loss is F_t - F_y.
Attacked run_apgd_targeted(const Problem& problem, const AttackOptions& options) {
  const auto& given = options.parameters;
  const auto restarts = static_cast<std::uint32_t>(given.at("restarts"));
  const std::size_t wrong = std::min(static_cast<std::size_t>(given.at("targets")), problem.classifier.k - 1);
  const std::size_t count = problem.targeted ? 1 : wrong;
  const std::vector<std::size_t> aims =
      problem.targeted ? std::vector<std::size_t>(problem.targets.begin(), problem.targets.end())
                       : likely_wrong_classes(problem, 0, count);
  const Ball ball(problem.clean, options.norm, options.eps.value(), problem.box);
  Best best;
  std::vector<std::uint8_t> zero_gradient(problem.clean.n, 1);
  for (std::size_t rank = 0; rank < count; ++rank) {
    const RowLoss loss = [&](std::size_t i, Row logits, MutableRow gradient) {
      const std::size_t t = aims[i * count + rank];
      return problem.targeted
                 ? loss_to_reach(t, logits, gradient)
                 : targeted_dlr(logits, static_cast<std::size_t>(problem.targets[i]), t, gradient);
    };
    if (rank == 0) best.offer(problem.clean, evaluate_with_gradient(problem, problem.clean, loss));
    for (std::uint32_t restart = 0; restart < restarts; ++restart) {
      const auto numbers =
          stream("apgd-targeted start") + static_cast<std::uint32_t>(rank) * restarts + restart;
      Points start = ball.random(options.seed, numbers, problem.keys);
      const auto zero = auto_pgd(problem, ball, options, loss, std::move(start), best);
      for (std::size_t i = 0; i < zero.size(); ++i) zero_gradient[i] &= zero[i];
    }
  }
  return {best.points(), std::move(zero_gradient)};
}

}  // namespace

double targeted_dlr(Row logits, std::size_t y, std::size_t t, MutableRow gradient) {
  const double value = static_cast<double>(logits[t]) - logits[y];
  double spread = 0;
  std::vector<std::size_t> top;
  if (logits.size() >= 4) {
    top = largest_classes(logits, 4);
    spread = logits[top[0]] - (static_cast<double>(logits[top[2]]) + logits[top[3]]) / 2;
  }
  const double divisor = spread == 0 ? 1 : spread;
  if (!gradient.empty()) {
    std::ranges::fill(gradient, 0.f);
    gradient[t] += static_cast<float>(1 / divisor);
    gradient[y] -= static_cast<float>(1 / divisor);
    if (spread != 0) {
      const double slope = value / divisor / divisor;
      gradient[top[0]] -= static_cast<float>(slope);
      gradient[top[2]] += static_cast<float>(slope / 2);
      gradient[top[3]] += static_cast<float>(slope / 2);
    }
  }
  return value / divisor;
}

AttackMember apgd_targeted() {
  return {{{"apgd-targeted",
            "Auto-PGD towards each of the most likely wrong classes in turn, on the targeted DLR loss",
            "Croce & Hein, Reliable evaluation of adversarial robustness with an ensemble of diverse "
            "parameter-free attacks, ICML 2020",
            {{"steps", 100, 1, 1e6, "gradient steps", true},
             {"restarts", 1, 1, 1e6, "random starts per image and target class", true},
             {"rho", .75, 0, 1, "halve the step size if the loss rose in a smaller share of steps"},
             {"targets", 9, 1, 1e6, "target classes per image, at most all wrong ones", true}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2},
           Loss::dlr},
          /*gradients=*/true,
          run_apgd_targeted,
          /*parts=*/nullptr,
          /*own_loss=*/true};
}

}  // namespace leeway::attack
