// Posterior agreement at a given beta, e.g. one beta for several shifted sets.
//
//   PA = log k + A(beta), A as in agreement.h
// The code of Carvalho et al. 2025 and Jiménez Rodríguez 2024 fits beta on the first shifted set and reuses
// it for the others; their PA is then at most the maximum over beta and may be negative.
//
// The result has fitted = false, converged = false, gap = NaN and a curve of one point. The interval treats
// beta as given: it is for a mean of n independent terms and accounts for pairs that were not drawn
// (interval.h); Options::bootstrap resamples that mean. At beta = infinity a pair without a common top class
// makes A = -inf, so the interval begins there whether or not such a pair was drawn.
// Shapes and errors: as posterior_agreement; also Error for beta < 0 or NaN. Cost: one preparing pass and one
// evaluation. Deterministic for any number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "leeway/agreement/agreement.h"

namespace leeway::agreement {

[[nodiscard]] Agreement agreement_at(const Rows& clean, const Rows& shifted, double beta,
                                     std::span<const std::int64_t> labels = {}, const Options& options = {});

}  // namespace leeway::agreement
