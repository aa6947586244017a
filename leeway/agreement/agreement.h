// Posterior agreement (PA): how much of what a classifier says survives when its inputs are shifted.
//
// Two sets of logits for the same n samples, clean F' and shifted F'', each (n,k). At inverse temperature beta >= 0:
//
//   p_i(j|X)  = softmax(beta F(x_i))_j               Gibbs posterior of sample i
//   a_i(beta) = log sum_j p_i(j|X') p_i(j|X'')       agreement of pair i, in (-inf, 0]; -log k at beta = 0
//   A(beta)   = (1/n) sum_i a_i(beta)
//   PA        = log k + max over beta in [0, inf] of A       in [0, log k]
//
// (Carvalho et al. 2025, section 3.2; Jiménez Rodríguez 2024, section 3.6.2, whose kernel, n * max A in [-n log k, 0], is
// log_pa_sum here.) A is not concave, whatever both say; the maximum here is global and certified (maximum.h).
//
// The interval is of the PA of the population that the pairs were drawn from independently. It counts pairs that disagree
// and were not drawn: where few or none were seen, its lower end lies well below PA, and it is not symmetric
// (interval.h). With bootstrap: percentiles over resamples, of the rows and one row that stands for those not drawn.
// One pair says nothing: [0, log k].
//
// Shapes: logits (n,k) row-major, in one array or several (rows.h: an Array is accepted as it is), float32 or
// float64, n >= 1, k >= 2, finite. Adding a constant to a row, swapping
// the two sets, and permuting rows or classes change nothing but rounding; scaling all logits by c > 0 divides beta
// by c.
// Errors (Error): shapes that differ, a logit that is NaN or infinite (named with its row and class), labels outside
// 0..k-1.
// Cost: one pass to prepare and typically 7 to 20 evaluations, each two exponentials per logit. Threads:
// leeway/core/parallel.h; the same bits for any number of them.
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

// A(beta) somewhere on the way to the maximum.
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
};

struct Agreement {
  std::size_t n = 0, k = 0;
  bool fitted = true;                    // false: beta was given (fixed_beta.h), nothing was maximised
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

  double afr_pred = 0;             // share of rows with argmax F'' = argmax F'; ties: lowest class
  Interval afr_pred_interval;      // Clopper-Pearson
  std::optional<double> afr_true;  // share with argmax F'' = label
  std::optional<Interval> afr_true_interval;
  std::optional<double> attack_success;  // 1 - afr_true
};

// `labels` may be empty (afr_true is then absent).
[[nodiscard]] Agreement posterior_agreement(const Rows& clean, const Rows& shifted,
                                            std::span<const std::int64_t> labels = {},
                                            const Options& options = {});

// a_i(beta) for every row; beta may be infinity (the limit: log(s / (m' m'')) with m', m'' tied top logits
// that share s classes; -inf where s = 0).
[[nodiscard]] std::vector<double> agreement_per_row(const Rows& clean, const Rows& shifted, double beta);

}  // namespace leeway::agreement
