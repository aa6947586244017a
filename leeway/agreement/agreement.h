// Posterior agreement (PA): how well a classifier's posteriors on clean and on shifted inputs agree.
//
// With the logits F' (clean) and F'' (shifted) of the same n samples, each (n,k), and beta >= 0:
//   p_i(j|X)  = softmax(beta F(x_i))_j               Gibbs posterior at inverse temperature beta
//   a_i(beta) = log sum_j p_i(j|X') p_i(j|X'')       agreement of pair i, in (-inf, 0]; -log k at beta = 0
//   A(beta)   = (1/n) sum_i a_i(beta)
//   PA        = log k + max over beta in [0, inf] of A       in [0, log k]
// (Carvalho et al. 2025, section 3.2; Jiménez Rodríguez 2024, section 3.6.2, whose kernel n * max A is
// log_pa_sum here.) A is not concave, although both papers assume so; the maximum is global and certified
// (maximum.h).
//
// The interval is for the PA of the population from which the pairs were drawn independently. It accounts for
// disagreeing pairs that the sample missed, so it is asymmetric: with few or no disagreeing pairs its lower
// end lies well below PA (interval.h). Options::bootstrap gives percentiles over resamples of the rows and
// one row that stands for the missed pairs. For n = 1 the interval is [0, log k].
// With a prior p(j) of the classes (equations 11 and 12 of Carvalho et al. 2025), w_j = min p / p(j):
//   a_i(beta) = log sum_j w_j p_i(j|X') p_i(j|X''),   PA = -log min p + max A   in [0, -log min p]
// so PA = max over beta of the mean of log sum_j p_i(j|X') p_i(j|X'') / p(j); -log min p takes the place of
// log k. The uniform prior has w_j = 1. Another prior has no bootstrap, and takes about ten times as long.
//
// Shapes: logits (n,k) row-major (rows.h; an Array works too), float32 or float64, n >= 1, k >= 2, finite.
// The result is invariant, up to rounding, to a constant added to a row, to swapping the sets and to
// permuting rows or classes. Scaling all logits by c > 0 divides beta by c.
// Errors (Error): different shapes, a NaN or infinite logit (with row and class), labels outside 0..k-1.
// Cost: one preparing pass and typically 7 to 20 evaluations with two exponentials per logit. Multithreaded
// (leeway/core/parallel.h); the result has the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/core/rows.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {

// An evaluated point of A.
struct CurvePoint {
  double beta = 0;
  double value = 0;  // A(beta)
};

struct Options {
  double gap = 1e-9;  // wanted accuracy of the maximum, in A
  std::size_t max_evaluations = 400;
  double level = .95;         // of every interval
  std::size_t bootstrap = 0;  // replicates that re-optimise beta; 0: the interval of interval.h
  std::uint64_t seed = 0;
  std::size_t curve_points = 0;  // A on a grid around beta* besides the evaluations made anyway, and every
                                 // local maximum that the two together bracket
  Progress* progress = nullptr;  // of the bootstrap, which it may stop (Interrupted)
  std::string clean_name = "clean", shifted_name = "shifted";  // what error messages call the two sets
  std::vector<double> prior = {};  // of the classes, positive, of sum 1; empty: uniform
};

struct Agreement {
  std::size_t n = 0, k = 0;
  bool fitted = true;                    // false: beta was given (agreement.h), nothing was maximised
  double beta = 0;                       // maximiser; infinity is a legal answer
  double value = 0;                      // max A = log_pa_mean, in [-log k, 0]
  double gap = 0;                        // certified: the supremum of A is at most value + gap
  bool converged = false;                // gap <= Options::gap
  std::size_t evaluations = 0;           // of A over all rows
  double pa = 0;                         // log k + value
  double pa_normalized = 0;              // pa / log k, in [0,1]
  double log_pa_sum = 0;                 // n * value
  Interval pa_interval;                  // of pa, over samples
  std::vector<CurvePoint> curve;         // sorted by beta
  std::vector<CurvePoint> local_maxima;  // that were met, sorted by beta, the global one among them
  std::optional<double> pa_most;         // -log min p, with a prior

  double afr_pred = 0;             // share of rows with argmax F'' = argmax F'; ties: lowest class
  Interval afr_pred_interval;      // Clopper-Pearson
  std::optional<double> afr_true;  // share with argmax F'' = label
  std::optional<Interval> afr_true_interval;
  std::optional<double> attack_success;  // 1 - afr_true
};

// `labels` may be empty (afr_true is then absent); rows without a label have -1 and do not count in afr_true.
[[nodiscard]] Agreement posterior_agreement(const Rows& clean, const Rows& shifted,
                                            std::span<const std::int64_t> labels = {},
                                            const Options& options = {});

// a_i(beta) for every row. At beta = infinity: log(s / (m' m'')), m' and m'' tied top logits, s shared.
[[nodiscard]] std::vector<double> agreement_per_row(const Rows& clean, const Rows& shifted, double beta);

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
[[nodiscard]] Agreement agreement_at(const Rows& clean, const Rows& shifted, double beta,
                                     std::span<const std::int64_t> labels = {}, const Options& options = {});

}  // namespace leeway::agreement
