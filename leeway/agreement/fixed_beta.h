// Posterior agreement at a beta that is given rather than found: one beta for several shifted sets.
//
//   PA = log k + A(beta), A as in agreement.h
// The reference program of papers 000 and 001 fits beta on the first shifted set and reuses it for the others; their
// PA is then at most the one at their own maximum, and may be negative.
//
// The Agreement has fitted = false, converged = false and the gap NaN: nothing was maximised. Its curve holds the one
// point. The interval takes beta as given, like the a_i a mean of n independent terms; with Options::bootstrap that
// many resamples of that mean. At beta = infinity a pair that shares no top class makes A = -inf: PA is -inf, and the
// interval from there to log k.
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
