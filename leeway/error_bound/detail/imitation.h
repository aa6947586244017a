// The linear critic nearest to the classifier under test, as a starting point of the search.
//
// Logits: the classifier itself, theta = (identity, 0) on unscaled columns. Features, components: least
// squares of the row-centred logits on (x, 1) over training rows of both sets, with a ridge of 1e-6 of a
// column's mean square; this is the classifier itself if its logits are linear in the features and rows
// outnumber columns. Empty beyond 8192 columns.
// Shapes as in critic.h. Cost: n d (d + k) and d^3 operations in float64, n at most max(4 (d + 1), 4096) rows
// of each set. Deterministic for any number of threads.
//
// A random neighbor of a critic mixes its classes' scores: (I + c R / sqrt(k)) theta, R (k,k) standard
// normal, so the added scores are on average c times as large as the critic's. Beyond 64 classes a row of R
// has 16 random entries other than 0, and 4 replaces sqrt(k). Cost: at most 64 k d.
#pragma once

#include <span>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/critic_rows.h"

namespace leeway::error_bound {

[[nodiscard]] std::vector<float> imitation(const CriticData& data, const Sample& source, const Sample& target,
                                           Representation::Kind representation);

[[nodiscard]] std::vector<float> neighbour(const CriticRows& rows, std::span<const float> theta, double c,
                                           Random& random);

}  // namespace leeway::error_bound
