#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

// g <- decay g + grad L / |grad L|_1; a gradient of 0 adds nothing.
void accumulate_normalized(MutableRow momentum, Row gradient, double decay) {
  const double length = norm_of(gradient, Norm::l1);
  for (std::size_t j = 0; j < momentum.size(); ++j) {
    const double normalized = length > 0 ? gradient[j] / length : 0;
    momentum[j] = static_cast<float>(decay * momentum[j] + normalized);
  }
}

// MI-FGSM: from the clean row and g = 0, with the step size alpha = eps / steps,
//   g <- decay g + grad L / |grad L|_1
//   x <- project(x + alpha d)          d = sign(g) for l_inf, g / |g|_2 for l_2
// The paper's loss is the cross-entropy, whose gradient is a positive multiple of the gradient of `margin`.
// The normalized gradients are equal, but the gradient of `margin` does not underflow.
//
// Deviations: the best point is kept, not the last; decay at most 1.
Attacked run_momentum_pgd(const Problem& problem, const AttackOptions& options) {
  const auto steps = static_cast<std::size_t>(options.parameters.at("steps"));
  const double decay = options.parameters.at("decay"), eps = options.eps.value();
  const Ball ball(problem.clean, options.norm, eps, problem.box);
  Best best;
  Attacked found;
  Points x = problem.clean, momentum = Points::zeros(x.n, x.d);
  for (std::size_t step = 0; step < steps; ++step) {
    const Evaluation here = evaluate_with_gradient(problem, x);
    if (step == 0) found.zero_gradient = zero_rows(here.gradient);
    best.offer(x, here);
    for_rows(x, [&](std::size_t i) {
      accumulate_normalized(momentum.row(i), here.gradient.row(i), decay);
      ball.step(i, x.row(i), momentum.row(i), eps / static_cast<double>(steps));
    });
  }
  best.offer_last(problem, x);
  found.x = best.points(), found.judged = best.judged();
  return found;
}

}  // namespace

AttackMember momentum_pgd() {
  return {{{"momentum-pgd",
            "MI-FGSM: steps along accumulated normalized gradients; the best point is kept",
            "Dong et al., Boosting adversarial attacks with momentum, CVPR 2018",
            {{"steps", 10, 1, 1e6, "gradient steps", true},
             {"decay", 1, 0, 1, "weight of the earlier gradients in the momentum"}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2},
           Loss::margin},
          /*gradients=*/true,
          run_momentum_pgd};
}

}  // namespace leeway::attack
