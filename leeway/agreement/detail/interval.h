// Intervals of posterior agreement (PA) over samples, seen and unseen. Not part of the library's interface.
//
// The n pairs are drawn independently from a population, of which PA = log k + max over beta of E a(beta) (agreement.h)
// is asked. Where few pairs disagree, or none, A is decided by pairs so rare that a sample may hold none of them: the
// standard error at beta* is then too small, or 0. So each end is a maximum of its own over beta:
//
//   low  = log k + max over beta of l(beta),   high = log k + max over beta of u(beta)
//
// with [l, u] the interval of the mean E a(beta) as of a bounded variable (bounded_mean.h), which counts one pair more
// than was drawn at either end of its range. E a(beta) <= max E a for every beta, so that l at any beta lies
// below PA as surely as below E a(beta); u lies above PA at the population's own beta, hence so does its maximum. The
// range of a(beta) is taken from how sure the rows are on average: with h the mean over rows and both sets of (the
// largest logit - the mean of the others),
//
//   contradicted  F' = (h,0,...,0), F'' = (0,h,0,...,0):  a = log((2 e^{beta h} + k - 2) / (e^{beta h} + k - 1)^2)
//   confirmed     F' = F'' = (h,0,...,0):                 a = log((e^{2 beta h} + k - 1) / (e^{beta h} + k - 1)^2)
//
// or the least and largest a_i(beta) seen, where they lie further out. What is assumed: unseen pairs contradict
// themselves on average no more surely than that. Nothing that was drawn could show the contrary.
//
// Settled: where the sum of squares about the mean is at least 100 times the square of the distance to either end of the
// range, so that one row more moves the mean by at most a tenth of its standard error, and twice that error is at most a
// quarter of PA. The interval is then PA +- z s / sqrt(n) at beta* (delta method: dA/dbeta = 0 there, so that beta* may be
// held fixed).
//
// Both are clipped to [0, log k], and hold the PA of the sample. One pair says nothing: [0, log k].
// Cost: settled, nothing, or one pass where the search did not meet the squares at beta*; else typically 11 to 17 passes
// of values. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/agreement/detail/maximum.h"
#include "leeway/agreement/detail/pairs.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {

// Agreement of a contradicted and of a confirmed pair.
struct UnseenPairs {
  double depth = 0;  // h
  std::size_t k = 0;

  explicit UnseenPairs(const Pairs& pairs);
  [[nodiscard]] double contradicted(double beta) const;  // -inf at infinity
  [[nodiscard]] double confirmed(double beta) const;     // 0 at infinity
};

// Whether pairs that were not drawn hardly count: `mean_square` of a_i at beta, whose mean is `mean`. At every level alike, so
// that intervals widen with the level.
[[nodiscard]] bool is_settled(const Pairs& pairs, double beta, double mean, double mean_square);
[[nodiscard]] bool is_settled(const Pairs& pairs, const Maximum& maximum);

// Of E a(beta) at one beta, of whose a_i `a` are given; unsettled. At infinity the lower end is -inf.
[[nodiscard]] Interval mean_agreement_interval(const UnseenPairs& unseen, std::span<const double> a,
                                               double beta, double level);

// Of PA. `maximum` belongs to `pairs`.
[[nodiscard]] Interval pa_interval_of(const Pairs& pairs, const Maximum& maximum, double level);

}  // namespace leeway::agreement
