// Area under the ROC curve: the probability that a positive score exceeds a negative one, ties counting half.
//
// A = mean over positives of V_i, V_i = (R_i - R+_i) / n-, R the rank among all rows, R+ among positives, midranks of ties; for
// negatives V_j = 1 - (R_j - R-_j) / n+, of mean A too. These placements lie in [0,1]; s+^2 / n+ + s-^2 / n- is the variance of
// DeLong, DeLong and Clarke-Pearson (1988), so A moves as the sum of two independent means does.
//
// Errors: none. Cost: a sort. Deterministic; the order of rows changes only rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace leeway::assess {

struct Auroc {
  double value = 0;
  std::size_t positives = 0, negatives = 0;
  std::vector<double> placements;  // (n)
};

// `positive` has one entry a row, 0 or 1. Nothing where either class has no row.
[[nodiscard]] std::optional<Auroc> auroc(std::span<const double> scores,
                                         std::span<const std::int64_t> positive);

}  // namespace leeway::assess
