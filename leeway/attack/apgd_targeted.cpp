#include <algorithm>
#include <numeric>

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
// row. The best point of all runs is kept; a row that succeeds leaves before the next run. If the problem has a
// target class, the attack aims at this class only, and the class y of the loss is the most likely other class
// at the current point.
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
  Best best;
  std::vector<std::uint8_t> zero_gradient(problem.clean.n, 1);
  std::vector<std::size_t> rows(problem.clean.n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (std::uint32_t run = 0; run < count * restarts && !rows.empty(); ++run) {
    const Part part(problem, rows);
    const Problem& some = part.problem();
    const RowLoss loss = [&, rank = run / restarts](std::size_t j, Row logits, MutableRow gradient) {
      const std::size_t t = aims[rows[j] * count + rank];
      return some.targeted ? loss_to_reach(t, logits, gradient)
                           : targeted_dlr(logits, static_cast<std::size_t>(some.targets[j]), t, gradient);
    };
    if (run == 0) best.offer(some.clean, evaluate_with_gradient(some, some.clean, loss));
    const Ball ball(some.clean, options.norm, options.eps.value(), some.box);
    Best found;
    const auto zero =
        auto_pgd(some, ball, options, loss,
                 ball.random(options.seed, stream("apgd-targeted start") + run, some.keys), found);
    for (std::size_t j = 0; j < zero.size(); ++j) zero_gradient[rows[j]] &= zero[j];
    best.offer(rows, found.points(), {found.values(), found.success()});
    std::erase_if(rows, [&](std::size_t i) { return best.success()[i] != 0; });
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
          /*own_loss=*/true,
          /*leaves=*/false,
          /*spares=*/true};
}

}  // namespace leeway::attack
