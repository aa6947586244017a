// Confidence interval for the mean of a bounded variable; generalizes Clopper-Pearson beyond values 0 and 1.
//
// For n values x_i in [least, most], the upper end is the q-quantile of D_0 most + sum_i D_i x_i and the
// lower end the (1-q)-quantile of D_0 least + sum_i D_i x_i, with D uniform on the simplex of n + 1 weights
// and q = (1 + level) / 2 (Learned-Miller and Thomas, A new confidence interval for the mean of a bounded
// random variable, arXiv:1905.06208). The paper conjectures that coverage is at least `level` for every
// distribution; no counterexample is known. For values 0 and 1 the ends are Clopper and Pearson's.
//
// The quantile uses Barndorff-Nielsen's saddlepoint formula for a sum of weighted exponentials, within .02
// normal deviates of the exact one (n = 10 to 10^6). More than 256 values are first binned into 64 cells of
// equal width, each as two atoms with the count, mean and variance of its values.
//
// Errors (Error): no values, a value outside [least, most] or not finite, a level outside (0,1). Cost: one
// pass over the values and 1 to 20 over the atoms for each end. Deterministic for any number of threads; the
// order of the values changes only rounding.
#pragma once

#include <cstdint>
#include <span>

#include "leeway/core/statistics.h"

namespace leeway {

[[nodiscard]] Interval bounded_mean_interval(std::span<const double> values, double least, double most,
                                             double level = .95);

// The same of a sum of means: row i adds to the mean of stratum strata[i], whose values lie in ranges[strata[i]]. Square-and-add
// of the strata's intervals (Zou and Donner 2008), where of several strata no distance is less than the normal one: next
// to an end of the range a distance is short, but a sum of many such means is no more skewed than a normal one.
// Values beyond their range by rounding count as its end; strata without rows add nothing. `strata` empty: one.
[[nodiscard]] Interval stratified_mean_interval(std::span<const double> values,
                                                std::span<const std::int64_t> strata,
                                                std::span<const Interval> ranges, double level = .95);

}  // namespace leeway
