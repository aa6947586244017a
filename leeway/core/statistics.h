// Intervals and tests for proportions and means.
//
// Levels are confidence levels in (0,1), .95 by default; every interval is two-sided with equal tails.
// Errors (Error): a level or probability outside (0,1), more successes than trials, a bootstrap of nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace leeway {

struct Interval {
  double low = 0, high = 0;
};

// Exact (conservative) interval of a proportion: beta quantiles (Clopper and Pearson 1934). k = 0 starts at
// 0, k = n ends at 1; n = 0 is [0,1].
[[nodiscard]] Interval clopper_pearson(std::size_t successes, std::size_t n, double level = .95);

// Score interval of a proportion (Wilson 1927), closer to its nominal level than the exact one. Same values
// at the edges as the exact one: k = 0 starts at 0, k = n ends at 1; n = 0 is [0,1].
[[nodiscard]] Interval wilson(std::size_t successes, std::size_t n, double level = .95);

// Sample mean and its standard error s/sqrt(n), s with n-1; the error is NaN for n < 2 (one trial says
// nothing), and so is the mean for n = 0.
struct Mean {
  double mean = 0, standard_error = 0;
  std::size_t n = 0;
};
[[nodiscard]] Mean mean_and_error(std::span<const double> values);

// Student's interval of the mean: mean ± t s/sqrt(n), t of n - 1 degrees of freedom; unbounded for n < 2.
[[nodiscard]] Interval student_interval(std::span<const double> values, double level = .95);

[[nodiscard]] double normal_quantile(double p);  // inverse of the standard normal CDF; p in (0,1)

// Quantile of ascending values, linear between order statistics (type 7 of Hyndman and Fan 1996); at least one value, p
// in [0,1]. Values may be infinite.
[[nodiscard]] double quantile(std::span<const double> sorted, double p);

// Interval of the quantile p of the distribution that `sorted`, n ascending values, is drawn from, without assumptions: order
// statistics by the binomial distribution of the number of values at or below it (David and Nagaraja 2003, 7.1). Conservative. An
// end that n values cannot support is -infinity or infinity.
[[nodiscard]] Interval quantile_interval(std::span<const double> sorted, double p, double level = .95);

// Ends between which a share `level` of the replicates lies, by their (B + 1) tail-th value from either end, linear between order
// statistics (type 6 of Hyndman and Fan 1996): of B replicates and the value itself, B + 1 that are alike, each rank is
// as likely as any other, so that `tail` is left out on either side for any B (Davison and Hinkley 1997, section 5.2).
// `sorted`: ascending, at least one value.
[[nodiscard]] Interval replicate_interval(std::span<const double> sorted, double level = .95);

// Percentile bootstrap of a statistic of n rows: replicate b calls statistic(rows), `rows` being n indices
// drawn with replacement by Random(seed, stream("bootstrap"), b). To compare two models on the same samples,
// let the statistic be the difference on the same rows: that is the paired bootstrap. The ends are those of
// replicate_interval. Replicates where the statistic is NaN are left out (a rare class may have no row); if it is NaN in all,
// so are both ends.
// Deterministic; replicates run in parallel, so `statistic` must be callable from several threads at once.
struct BootstrapOptions {
  std::size_t replicates = 1000;
  double level = .95;
  std::uint64_t seed = 0;
};
[[nodiscard]] Interval bootstrap(std::size_t n,
                                 const std::function<double(std::span<const std::size_t>)>& statistic,
                                 const BootstrapOptions& options = {});

// Exact two-sided McNemar test for paired proportions: b and c count the rows on which only one of the two is
// right. 1 where b = c, so also where the two are never apart.
[[nodiscard]] double mcnemar_p(std::size_t b, std::size_t c);

}  // namespace leeway
