// Area under the ROC curve: the probability that a positive row's score exceeds a negative one's, ties counting half.
//
// A = mean over positives of V_i, V_i = (R_i - R+_i) / n-, R the rank among all rows, R+ among positives, midranks of ties; for
// negatives V_j = 1 - (R_j - R-_j) / n+. Variance s+^2 / n+ + s-^2 / n- of these (DeLong, DeLong and Clarke-Pearson 1988). The
// interval is symmetric for log(A / (1 - A)); where the variance is 0 (all in order, all tied) that of Clopper and Pearson for
// A of the smaller class's rows. With a single row in a class there is no variance: the same.
// Of few rows DeLong's variance is too small. That of Hanley and McNeil (1982) at A with half a row more above and half a row more
// below counts as well, where it is larger: 4 / (4 + rows of the smaller class) of the difference.
//
// Errors: none. Cost: a sort. Deterministic; the order of rows changes nothing but rounding.
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

// `positive` has one entry a row. Where `influence` is given, what each row adds is added to it, `weight` times: A moves by the
// mean of these, which is 0. Nothing where either class has no row.
[[nodiscard]] std::optional<Auroc> auroc(std::span<const double> scores,
                                         std::span<const std::uint8_t> positive, double level,
                                         std::span<double> influence = {}, double weight = 1);

// Symmetric on the scale of log(x / (1 - x)); where the variance is 0 or x an end, Clopper's and Pearson's of x of n rows.
[[nodiscard]] Interval logit_interval(double x, double variance, std::size_t n, double level);

}  // namespace leeway::assess
