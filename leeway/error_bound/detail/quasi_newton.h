// L-BFGS (Nocedal and Wright, Numerical Optimization, algorithm 7.5; memory 8) for objectives of critics.
//
// Steps are halved until the value falls by 1e-4 of slope times step; only pairs with positive curvature are
// used. Stops if the value falls by less than `tolerance` of itself (of .01 if smaller: objectives are of
// order 1), if no step lowers it, after `iterations`, or if a parameter exceeds 1e4 (an optimum at infinity).
// Cost: one evaluation per iteration, seldom two. Memory: 18 vectors.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "leeway/error_bound/detail/critic.h"

namespace leeway::error_bound {

struct Descent {
  std::size_t iterations = 50;
  double tolerance = 1e-5;
  std::function<void(std::span<const float> theta, const Evaluation& evaluation)> watch;  // every iterate
  double first_step = 1;                                                                  // its length
};

[[nodiscard]] std::vector<float> minimise(const std::function<Evaluation(std::span<const float>)>& objective,
                                          std::vector<float> start, const Descent& descent);

}  // namespace leeway::error_bound
