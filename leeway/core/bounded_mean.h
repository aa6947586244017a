// Interval of the mean of a bounded variable: Clopper and Pearson's, for values that are not only 0 and 1.
//
// Of n values x_i in [least, most], the upper end is the q-quantile of D_0 most + sum_i D_i x_i, the lower end the
// (1-q)-quantile of D_0 least + sum_i D_i x_i, with D uniform on the simplex of n + 1 weights (a Dirichlet
// distribution of ones) and q = (1 + level) / 2 (Learned-Miller and Thomas, A new confidence interval for the mean of a
// bounded random variable, arXiv:1905.06208). One row more, at the end of the range, stands for what was not drawn. For
// values of 0 and 1 these are Clopper and Pearson's ends; for many values of like size the normal interval. That the
// coverage is at least `level` for every distribution is conjectured there, not proved; no counterexample is known.
//
// The quantile is that of a sum of weighted exponential variables: Barndorff-Nielsen's saddlepoint formula, within
// .02 in units of normal deviates of the exact one (n = 10 to 10^6). Beyond 256 values they are summed up first:
// 64 cells of equal width, each as two atoms with the number, the mean and the variance of its values.
//
// Errors (Error): no values, a value outside [least, most] or not finite, a level outside (0,1).
// Cost: one pass over the values and 1 to 20 over the atoms for each end. Deterministic for any number of threads; the
// order of the values changes rounding alone.
#pragma once

#include <span>

#include "leeway/core/statistics.h"

namespace leeway {

[[nodiscard]] Interval bounded_mean_interval(std::span<const double> values, double least, double most,
                                             double level = .95);

}  // namespace leeway
