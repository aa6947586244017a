#include <algorithm>
#include <cmath>

#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

constexpr double tiny = 1e-300;  // divisor of rows without gradient, which then do not move

// From u = 0; each step, with the gradient g of the loss L:
//   r <- min(r (1 - gamma), least norm found)   if x + u succeeds
//        r (1 + gamma)                          if it does not but an earlier point did
//        |u|_p + max(|L| / |g|_q, gamma |u|_p)  if none did: the linearized boundary, q dual to p
//   u <- the point nearest to u + alpha g / |g|_2 within r and the box (geometry.h)
// r ends at the farthest corner of the box; alpha and gamma follow half a cosine. In l0, r counts from 1:
// min(r - 1, floor(r (1 - gamma)), least) and max(r + 1, floor(r (1 + gamma))).
//
// Deviations: growth by gamma (a millionth of the box at u = 0), without which 1 of 60 rows of a linear model
// stayed on the boundary; projection onto ball and box at once, since clipping afterwards ends short of the
// boundary; the last point counts. On linear models, norms are within .1% of the closed form; l0 is exact at
// step size 10.
Attacked run_fmn(const Problem& problem, const AttackOptions& options) {
  const auto& given = options.parameters;
  const auto steps = static_cast<std::size_t>(given.at("steps"));
  const Norm norm = options.norm;
  const Points& clean = problem.clean;
  const bool unbounded = problem.box.unbounded();
  std::vector<double> farthest(clean.n, infinity), grain(clean.n, 1e-6);
  for (std::size_t i = 0; !unbounded && i < clean.n; ++i) {
    farthest[i] = farthest_corner(clean.row(i), norm, problem.box);
    grain[i] = 1e-6 * farthest[i];
  }
  std::vector<double> radius(clean.n, norm == Norm::l0 ? 1 : infinity);
  Nearest nearest(problem, norm);
  Attacked found{clean};
  Points& x = found.x;
  for (std::size_t step = 0; step < steps; ++step) {
    const double alpha = annealed(given.at("step"), given.at("last-step"), step, steps),
                 gamma = annealed(given.at("gamma"), given.at("last-gamma"), step, steps);
    const Evaluation here = evaluate_with_gradient(problem, x);
    if (step == 0) found.zero_gradient = zero_rows(here.gradient);
    nearest.offer(x, here.success);
    for_rows(x, [&](std::size_t i) {
      const Row from = clean.row(i), gradient = here.gradient.row(i);
      const MutableRow row = x.row(i);
      const double least = nearest.norms()[i], moved = distance(row, from, norm);
      double& r = radius[i];
      if (norm == Norm::l0) {
        r = here.success[i] != 0 ? std::max(0., std::min({r - 1, std::floor(r * (1 - gamma)), least}))
                                 : std::max(r + 1, std::floor(r * (1 + gamma)));
      } else if (here.success[i] != 0) {
        r = std::min(r * (1 - gamma), least);
      } else if (std::isfinite(least)) {
        r *= 1 + gamma;
      } else {
        const double gap = std::abs(here.value[i]) / std::max(tiny, norm_of(gradient, dual_of(norm)));
        r = moved + std::max({gap, moved * gamma, grain[i]});
      }
      r = std::min(r, farthest[i]);
      const double along = alpha / std::max(tiny, norm_of(gradient, Norm::l2));
      std::vector<float> ahead(clean.d);
      for (std::size_t j = 0; j < clean.d; ++j)
        ahead[j] = row[j] - from[j] + static_cast<float>(gradient[j] * along);
      project_move(ahead, from, r, norm, problem.box);
      for (std::size_t j = 0; j < clean.d; ++j) row[j] = problem.box.clip(j, from[j] + ahead[j]);
    });
  }
  nearest.offer(x, evaluate(problem, x).success);
  x = confirmed(problem, nearest);
  return found;
}

}  // namespace

AttackMember fmn() {
  return {{{"fmn",
            "minimum-norm attack: gradient steps within a radius that adapts to the decision boundary",
            "Pintor et al., Fast minimum-norm adversarial attacks through adaptive norm constraints, NeurIPS "
            "2021",
            {{"steps", 100, 1, 1e6, "gradient steps", true},
             {"step", 1, 1e-9, 1e6, "l2 norm of the first step"},
             {"last-step", .01, 0, 1e6, "l2 norm of the last step"},
             {"gamma", .05, 0, 1, "relative change of the radius in the first step"},
             {"last-gamma", .001, 0, 1, "relative change of the radius in the last step"}}},
           /*minimum_norm=*/true,
           {Norm::linf, Norm::l2, Norm::l1, Norm::l0}},
          /*gradients=*/true,
          run_fmn};
}

}  // namespace leeway::attack
