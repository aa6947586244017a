#include "leeway/core/random.h"
#include "leeway/nn/attack/attack.h"

namespace leeway::nn {
namespace {

// The worst of `steps` times `restarts` uniform points of the ball, and of these moved to its border (l_inf:
// a corner). Finds weaknesses that gradients hide.
Attacked run_noise(const Problem& problem, const AttackOptions& options) {
  const double eps = options.eps.value();
  const Ball ball(problem.clean, options.norm, eps, problem.box);
  const auto draws =
      static_cast<std::size_t>(options.parameters.at("steps") * options.parameters.at("restarts"));
  Best best;
  best.offer(problem.clean, margin(problem, problem.clean));
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const torch::Tensor point =
        ball.random(options.seed, stream("noise attack") + static_cast<std::uint32_t>(draw), problem.keys);
    const torch::Tensor border = ball.step(problem.clean, point - problem.clean, eps);
    best.offer(point, margin(problem, point));
    best.offer(border, margin(problem, border));
  }
  return {best.images(), {}};
}

}  // namespace

AttackMember noise() {
  return {{{"noise",
            "worst of random points inside the radius and on its boundary; needs no gradients",
            "Athalye et al., ICML 2018: the baseline for gradient attacks",
            {{"steps", 20, 1, 1e6, "draws per restart", true},
             {"restarts", 1, 1, 1e6, "factor on the number of draws", true}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2}},
          /*gradients=*/false,
          run_noise};
}

}  // namespace leeway::nn
