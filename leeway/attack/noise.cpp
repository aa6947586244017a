#include "leeway/attack/member.h"
#include "leeway/core/random.h"

namespace leeway::attack {
namespace {

// The worst of `steps` times `restarts` uniform points of the ball, and of these moved to its border (l_inf:
// a corner). Finds weaknesses that gradients hide.
Attacked run_noise(const Problem& problem, const AttackOptions& options) {
  const double eps = options.eps.value();
  const Points& clean = problem.clean;
  const Ball ball(clean, options.norm, eps, problem.box);
  const auto draws =
      static_cast<std::size_t>(options.parameters.at("steps") * options.parameters.at("restarts"));
  Best best;
  best.offer(clean, evaluate(problem, clean));
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const Points point =
        ball.random(options.seed, stream("noise attack") + static_cast<std::uint32_t>(draw), problem.keys);
    Points border = clean;
    for_rows(clean, [&](std::size_t i) {
      std::vector<float> direction(clean.d);
      for (std::size_t j = 0; j < clean.d; ++j) direction[j] = point.row(i)[j] - clean.row(i)[j];
      ball.step(i, border.row(i), direction, eps);
    });
    best.offer(point, evaluate(problem, point));
    best.offer(border, evaluate(problem, border));
  }
  return {best.points()};
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

}  // namespace leeway::attack
