// Area under the ROC curve: the probability that a positive score exceeds a negative one, ties counting half.
//
// A = mean over positives of V_i, V_i = (R_i - R+_i) / n-, R the rank among all rows, R+ among positives,
// midranks of ties; for negatives V_j = 1 - (R_j - R-_j) / n+. Variance s+^2 / n+ + s-^2 / n- (DeLong, DeLong
// and Clarke-Pearson 1988). The interval is symmetric for log(A / (1 - A)); with variance 0 or a single row
// in a class, Clopper-Pearson for A of the smaller class's rows.
// DeLong's variance is too small for few rows. That of Hanley and McNeil (1982) at A with half a row more
// above and half a row more below applies if larger: 4 / (4 + rows of the smaller class) of the difference.
//
// Errors: none. Cost: a sort. Deterministic; the order of rows changes only rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "leeway/core/statistics.h"

namespace leeway::assess {

struct Auroc {
  double value = 0, variance = 0;  // DeLong's
  double few_rows = 0;             // what few rows add to the variance of the rows' influences
  std::size_t positives = 0, negatives = 0;
  Interval interval;
};

// `positive` has an entry for each row. Adds `weight` times each row's influence (mean 0; A moves by their
// mean) to `influence`, if given. Nothing where either class has no row.
[[nodiscard]] std::optional<Auroc> auroc(std::span<const double> scores,
                                         std::span<const std::uint8_t> positive, double level,
                                         std::span<double> influence = {}, double weight = 1);

// Symmetric for log(x / (1 - x)); Clopper-Pearson for x of n rows if the variance is 0 or x is an end.
[[nodiscard]] Interval logit_interval(double x, double variance, std::size_t n, double level);

}  // namespace leeway::assess
