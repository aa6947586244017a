// Posterior agreement at a beta that is given rather than found: one beta for several shifted sets.
//
//   PA = log k + A(beta), A as in agreement.h
// The program of Carvalho et al. 2025 and Jiménez Rodríguez 2024 fits beta on the first shifted set and reuses it for the others; their
// PA is then at most the one at their own maximum, and may be negative.
//
// The Agreement has fitted = false, converged = false and the gap NaN: nothing was maximised. Its curve holds the one
// point. The interval takes beta as given and is that of a mean of n independent terms, pairs that were not drawn counted
// as for PA (interval.h); with Options::bootstrap from that many resamples of that mean. At beta = infinity a pair that
// shares no top class makes A = -inf: the interval then begins there, whether such a pair was drawn or not.
//
// Shapes and errors: as posterior_agreement, and a beta below 0 or NaN (Error). Cost: one preparing pass and one
// evaluation. Deterministic for any number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "leeway/agreement/agreement.h"

namespace leeway::agreement {

[[nodiscard]] Agreement agreement_at(const Rows& clean, const Rows& shifted, double beta,
                                     std::span<const std::int64_t> labels = {}, const Options& options = {});

}  // namespace leeway::agreement
