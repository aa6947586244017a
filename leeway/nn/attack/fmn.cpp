#include <cmath>
#include <numbers>

#include "leeway/nn/attack/attack.h"

namespace leeway::nn {
namespace {

constexpr double tiny = 1e-300;  // divisor of rows without gradient, which then do not move

// Passes with and without gradients round differently, and these images lie on the boundary: those that fail
// here move on, first by a millionth of their path, then by more.
torch::Tensor confirmed(const Problem& problem, const Nearest& nearest) {
  torch::Tensor x = nearest.images();
  for (double more = 1e-6; more < .01; more *= 4) {
    const torch::Tensor lost = nearest.norms().isfinite() & margin(problem, x).success.logical_not();
    if (!lost.any().item<bool>()) break;
    const torch::Tensor further = (x + (x - problem.clean) * more).clamp(problem.box.low, problem.box.high);
    x = torch::where(per_row(lost), further, x);
  }
  return x;
}

// From u = 0; each step, with the gradient g of the loss L:
//   r <- min(r (1 - gamma), least norm found)   if x + u succeeds
//        r (1 + gamma)                          if it does not but an earlier point did
//        |u|_p + max(|L| / |g|_q, gamma |u|_p)  if none did: the linearized boundary, q dual to p
//   u <- the point nearest to u + alpha g / |g|_2 within r and the box (projection.h)
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
  const torch::Tensor& clean = problem.clean;
  const torch::Tensor corner = distances(clean, (clean < .5).to(clean.dtype()), norm);
  const torch::Tensor farthest = problem.box.unbounded() ? torch::full_like(corner, INFINITY) : corner,
                      grain = problem.box.unbounded() ? torch::ones_like(corner) * 1e-6 : corner * 1e-6;
  Nearest nearest(problem);
  torch::Tensor x = clean, radius = torch::full_like(farthest, norm == Norm::l0 ? 1 : INFINITY),
                zero_gradient;
  for (std::size_t step = 0; step < steps; ++step) {
    const double left =
        (1 + std::cos(std::numbers::pi * static_cast<double>(step) / static_cast<double>(steps))) / 2;
    const auto annealed = [&](const char* first, const char* last) {
      return given.at(last) + (given.at(first) - given.at(last)) * left;
    };
    const double alpha = annealed("step", "last-step"), gamma = annealed("gamma", "last-gamma");
    const Margin here = margin_with_gradient(problem, x);
    const torch::NoGradGuard no_grad;
    if (step == 0) zero_gradient = zero_rows(here.gradient);
    const torch::Tensor moved = distances(x, clean, norm);
    nearest.offer(x, moved, here.success);
    const torch::Tensor& least = nearest.norms();
    if (norm == Norm::l0) {
      const torch::Tensor fewer = torch::minimum(radius - 1, (radius * (1 - gamma)).floor());
      const torch::Tensor more = torch::maximum(radius + 1, (radius * (1 + gamma)).floor());
      radius = torch::where(here.success, torch::minimum(fewer, least).clamp_min(0), more);
    } else {
      const torch::Tensor slope = norms_of(here.gradient, dual_of(norm)).clamp_min(tiny);
      const torch::Tensor gap = here.value.abs().to(torch::kFloat64) / slope;
      const torch::Tensor boundary = moved + torch::maximum(torch::maximum(gap, moved * gamma), grain);
      radius = torch::where(here.success, torch::minimum(radius * (1 - gamma), least),
                            torch::where(least.isfinite(), radius * (1 + gamma), boundary));
    }
    radius = torch::minimum(radius, farthest);
    const torch::Tensor along = alpha / norms_of(here.gradient, Norm::l2).clamp_min(tiny);
    const torch::Tensor ahead =
        x - clean + (here.gradient.to(torch::kFloat64) * per_row(along)).to(clean.dtype());
    x = (clean + project_moves(ahead, clean, radius, norm, problem.box))
            .clamp(problem.box.low, problem.box.high);
  }
  const torch::NoGradGuard no_grad;
  nearest.offer(x, distances(x, clean, norm), margin(problem, x).success);
  return {confirmed(problem, nearest), zero_gradient};
}

}  // namespace

AttackMember fmn() {
  return {{{"fmn",
            "minimum-norm attack: gradient steps within a radius that converges to the decision boundary",
            "Pintor et al., Fast minimum-norm adversarial attacks through adaptive norm constraints, NeurIPS "
            "2021",
            {{"steps", 100, 1, 1e6, "gradient steps", true},
             {"step", 1, 1e-9, 1e6, "l2 length of the first step"},
             {"last-step", .01, 0, 1e6, "l2 length of the last step"},
             {"gamma", .05, 0, 1, "relative change of the radius in the first step"},
             {"last-gamma", .001, 0, 1, "relative change of the radius in the last step"}}},
           /*minimum_norm=*/true,
           {Norm::linf, Norm::l2, Norm::l1, Norm::l0}},
          /*gradients=*/true,
          run_fmn};
}

}  // namespace leeway::nn
