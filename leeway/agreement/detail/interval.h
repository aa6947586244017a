// Intervals of posterior agreement (PA) that account for pairs not in the sample. Internal.
//
// The n pairs are drawn independently from a population with PA = log k + max over beta of E a(beta)
// (agreement.h). If few or no pairs disagree, A depends on pairs so rare that the sample may miss them, and
// the standard error at beta* is too small or 0. Each end is therefore its own maximum over beta:
//   low  = log k + max over beta of l(beta),   high = log k + max over beta of u(beta)
// with [l, u] the interval of E a(beta) for a bounded variable (bounded_mean.h), which adds one pair at
// either end of the range. As E a(beta) <= max E a, l at any beta is a lower end for PA; u is an upper end at
// the population's beta, so its maximum is too. The range of a(beta) follows from the mean h, over rows and
// both sets, of (largest logit - mean of the others):
//   contradicted  F' = (h,0,..), F'' = (0,h,0,..):  a = log((2 e^{beta h} + k - 2) / (e^{beta h} + k - 1)^2)
//   confirmed     F' = F'' = (h,0,..):              a = log((e^{2 beta h} + k - 1) / (e^{beta h} + k - 1)^2)
// widened to the smallest and largest a_i(beta) seen. With a prior (agreement.h) the weights lie in [w, 1],
// so that `contradicted` falls by log w at most, and log k is the largest PA, -log min p. Assumption, not
// testable on the sample: pairs not drawn do not contradict themselves more confidently on average.
//
// Settled: the sum of squares about the mean is at least 100 times the squared distance to either end of the
// range (one more row moves the mean by at most a tenth of its standard error), and twice that error is at
// most a quarter of PA. Then the interval is PA +- z s / sqrt(n) at beta* (delta method: dA/dbeta = 0, so
// beta* may be held fixed).
//
// Intervals are clipped to [0, log k] and contain the sample's PA; for n = 1 they are [0, log k]. Cost:
// settled: none, or one pass if the search lacks the squares at beta*; else typically 11 to 17 passes of
// values. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <span>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/detail/maximum.h"
#include "leeway/agreement/detail/pairs.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {

// Agreement of a contradicted and of a confirmed pair.
struct UnseenPairs {
  double depth = 0;  // h
  std::size_t k = 0;
  double least_weight = 0;  // log w

  explicit UnseenPairs(const Pairs& pairs);
  [[nodiscard]] double contradicted(double beta) const;  // -inf at infinity
  [[nodiscard]] double confirmed(double beta) const;     // 0 at infinity
};

// The "settled" rule above, from the mean and mean square of a_i. Independent of the level, so intervals grow
// with it.
[[nodiscard]] bool is_settled(const Pairs& pairs, double beta, double mean, double mean_square);
[[nodiscard]] bool is_settled(const Pairs& pairs, const Maximum& maximum);

// Unsettled interval of E a(beta) at one beta, from its a_i. At infinity the lower end is -inf.
[[nodiscard]] Interval mean_agreement_interval(const UnseenPairs& unseen, std::span<const double> a,
                                               double beta, double level);

// Of PA. `maximum` belongs to `pairs`.
[[nodiscard]] Interval pa_interval_of(const Pairs& pairs, const Maximum& maximum, double level);

// Adds to `result`, whose n is set, the shares that `facts` counts, with Clopper-Pearson intervals:
//   AFR(P) = mean[argmax F'' = argmax F'],   with labels AFR(T) = mean[argmax F'' = y],   ASR = 1 - AFR(T)
// (Jiménez Rodríguez 2024, section 4.2.)
[[nodiscard]] Agreement with_fidelity(Agreement result, const Facts& facts,
                                      std::span<const std::int64_t> labels, double level);

}  // namespace leeway::agreement
