// The linear critic that is nearest to the classifier under test: where a search for others begins.
//
// Logits: the classifier itself, theta = (identity, 0) on columns as the file holds them; it agrees on every row.
// Features, components: least squares of the logits, each row less its mean, on (x, 1) over training rows of both sets,
// with a ridge of 1e-6 of the mean square of a column. Where the logits are linear in the features, as they are in those
// before a network's last layer, this is the classifier itself once there are more rows than columns.
// Shapes as in critic.h. Cost of least squares: n d (d + k) and d^3 operations in float64, n at most 4 (d + 1) rows of
// each set, but 4096 where there are as many. Deterministic, whatever the threads.
//
// A random neighbour of a critic mixes its classes' scores: (I + c R / sqrt(k)) theta, R (k,k) standard normal. The added scores are
// then c times as large as the critic's in the mean. Cost: k^2 d.
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
