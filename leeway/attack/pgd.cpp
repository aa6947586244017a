#include "leeway/attack/member.h"
#include "leeway/core/random.h"

namespace leeway::attack {
namespace {

// x <- project(x + step d), d = sign(grad L) for l_inf and grad L / |grad L|_2 for l_2, L the loss, from a random point
// of the ball and keeping the best point of all restarts, the clean row included.
Attacked run_pgd(const Problem& problem, const AttackOptions& options) {
  const double eps = options.eps.value();
  const auto& given = options.parameters;
  const auto steps = static_cast<std::size_t>(given.at("steps")),
             restarts = static_cast<std::size_t>(given.at("restarts"));
  const bool random_start = given.at("random-start") != 0;
  const double relative_step =
      given.at("relative-step") > 0 ? given.at("relative-step") : 2.5 / static_cast<double>(steps);
  const Ball ball(problem.clean, options.norm, eps, problem.box);
  Best best;
  std::vector<std::uint8_t> zero_gradient(problem.clean.n, 1);
  if (random_start) best.offer(problem.clean, evaluate(problem, problem.clean));
  for (std::size_t restart = 0; restart < restarts; ++restart) {
    const auto numbers = stream("pgd start") + static_cast<std::uint32_t>(restart);
    const Attacked way =
        ascend(problem, ball, random_start ? ball.random(options.seed, numbers, problem.keys) : problem.clean,
               relative_step * eps, steps, &best);
    for (std::size_t i = 0; i < zero_gradient.size(); ++i) zero_gradient[i] &= way.zero_gradient[i];
    if (!random_start) break;  // a restart would repeat the same way
  }
  return {best.points(), std::move(zero_gradient), {}, best.judged()};
}

}  // namespace

AttackMember pgd() {
  return {{{"pgd",
            "projected gradient ascent with random start; the best point is kept",
            "Madry et al., ICLR 2018",
            {{"steps", 20, 1, 1e6, "gradient steps", true},
             {"relative-step", 0, 0, 1e6, "step size / eps; 0: 2.5 / steps"},
             {"random-start", 1, 0, 1, "1: start at a random point of the ball; 0: at the image", true},
             {"restarts", 1, 1, 1e6, "starts per image", true}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2}},
          /*gradients=*/true,
          run_pgd};
}

}  // namespace leeway::attack
