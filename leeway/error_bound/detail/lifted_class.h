// One class of a critic scored anew, against the others as they are.
//
// A critic that agrees with the classifier everywhere disagrees, once one class c scores s(x) = u . x + b instead, on
// the rows whose own class scores less than s: with u = 0 on those whose largest score lies below b. Under a shift
// that costs confidence these are rows of the target, and b alone has hardly anything to overfit, however many the
// classes. Two critics are made:
//   constant   u = 0
//   fitted     u by logistic regression on (x, 1, the score that s must beat), rows weighted 1/(2 n_S) and 1/(2 n_T),
//              with a ridge: s should win on target rows of other classes and on source rows of c, and lose on the rest
// each with the b at which D is largest on the rows, found exactly.
// Shapes as in critic.h. Cost: three passes of scores, and 40 passes over x. Deterministic, whatever the threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/error_bound/detail/critic.h"

namespace leeway::error_bound {

[[nodiscard]] std::vector<FoundCritic> lift_class(const CriticRows& rows, std::span<const float> theta,
                                                  std::size_t c);

}  // namespace leeway::error_bound
