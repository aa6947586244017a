#include <algorithm>

#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

// From u = 0 and radius r, each step with the gradient g of the loss:
//   u <- u + alpha g / |g|_2
//   r <- r (1 - gamma) if x + u succeeds, else r (1 + gamma), at most the distance of the farthest corner
//   u <- clip(x + r u / |u|_2) - x
// alpha follows half a cosine. The loss "margin" has the directions of the paper's cross-entropy.
//
// Deviations: no quantization; the last point counts; rows without gradient stay (the authors' code moves
// them at random).
Attacked run_ddn(const Problem& problem, const AttackOptions& options) {
  const auto& given = options.parameters;
  const auto steps = static_cast<std::size_t>(given.at("steps"));
  const double gamma = given.at("gamma");
  const Points& clean = problem.clean;
  std::vector<double> radius(clean.n, given.at("radius"));
  Nearest nearest(problem, options.norm);
  Attacked found{clean};
  Points& x = found.x;
  for (std::size_t step = 0; step < steps; ++step) {
    const double alpha = annealed(given.at("step"), given.at("last-step"), step, steps);
    const Evaluation here = evaluate_with_gradient(problem, x);
    if (step == 0) found.zero_gradient = zero_rows(here.gradient);
    nearest.offer(x, here.success);
    for_rows(x, [&](std::size_t i) {
      const Row from = clean.row(i), gradient = here.gradient.row(i);
      const MutableRow row = x.row(i);
      radius[i] = std::min(radius[i] * (here.success[i] != 0 ? 1 - gamma : 1 + gamma),
                           farthest_corner(from, options.norm, problem.box));
      const double slope = norm_of(gradient, Norm::l2), along = slope > 0 ? alpha / slope : 0;
      std::vector<float> ahead(clean.d);
      for (std::size_t j = 0; j < clean.d; ++j)
        ahead[j] = static_cast<float>(row[j] - from[j] + along * gradient[j]);
      const double length = norm_of(ahead, Norm::l2), scale = length > 0 ? radius[i] / length : 0;
      for (std::size_t j = 0; j < clean.d; ++j)
        row[j] = problem.box.clip(j, static_cast<float>(from[j] + scale * ahead[j]));
    });
  }
  nearest.offer(x, evaluate(problem, x).success);
  x = confirmed(problem, nearest);
  return found;
}

}  // namespace

AttackMember ddn() {
  return {
      {{"ddn",
        "minimum-norm attack: gradient steps on a sphere; its radius shrinks after a success, else grows",
        "Rony et al., Decoupling direction and norm for efficient gradient-based l2 adversarial attacks and "
        "defenses, CVPR 2019",
        {{"steps", 100, 1, 1e6, "gradient steps", true},
         {"gamma", .05, 0, 1, "relative change of the radius per step"},
         {"step", 1, 1e-9, 1e6, "l2 norm of the first gradient step"},
         {"last-step", .01, 0, 1e6, "l2 norm of the last gradient step"},
         {"radius", 1, 1e-9, 1e6, "first radius"}}},
       /*minimum_norm=*/true,
       {Norm::l2},
       Loss::margin},
      /*gradients=*/true,
      run_ddn};
}

}  // namespace leeway::attack
