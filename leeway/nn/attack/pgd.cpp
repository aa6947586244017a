#include "leeway/core/random.h"
#include "leeway/nn/attack/attack.h"

namespace leeway::nn {
namespace {

// x <- project(x + step d), d = sign(grad m) for l_inf and grad m / |grad m|_2 for l_2, from a random point
// of the ball and keeping the best point of all restarts, the clean image included.
Attacked run_pgd(const Problem& problem, const AttackOptions& options) {
  const double relative_step = options.relative_step.value_or(2.5 / static_cast<double>(options.steps));
  const Ball ball(problem.clean, options.norm, options.eps);
  Best best;
  torch::Tensor zero_gradient;
  if (options.random_start) best.offer(problem.clean, margin(problem, problem.clean));
  for (std::size_t restart = 0; restart < options.restarts; ++restart) {
    const auto numbers = stream("pgd start") + static_cast<std::uint32_t>(restart);
    const torch::Tensor start =
        options.random_start ? ball.random(options.seed, numbers, problem.keys) : problem.clean;
    const Attacked way = ascend(problem, ball, start, relative_step * options.eps, options.steps, &best);
    zero_gradient = restart == 0 ? way.zero_gradient : zero_gradient & way.zero_gradient;
    if (!options.random_start) break;  // a restart would repeat the same way
  }
  return {best.images(), zero_gradient};
}

}  // namespace

AttackMember pgd() {
  return {"pgd", "projected gradient ascent with random start; the best point is kept",
          "Madry et al., ICLR 2018", true, run_pgd};
}

}  // namespace leeway::nn
