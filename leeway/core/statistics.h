// Intervals and tests for proportions and means.
//
// Levels are confidence levels in (0,1), .95 by default; every interval is two-sided with equal tails.
// Errors (Error): a level or probability outside (0,1), more successes than trials, a bootstrap of nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace leeway {

struct Interval {
  double low = 0, high = 0;
};

struct Estimate {
  double value = 0;
  Interval interval;
};

// Exact, conservative interval of a proportion (Clopper and Pearson 1934); [0,1] for n = 0.
[[nodiscard]] Interval clopper_pearson(std::size_t successes, std::size_t n, double level = .95);

// Score interval of a proportion (Wilson 1927), closer to nominal coverage; [0,1] for n = 0.
[[nodiscard]] Interval wilson(std::size_t successes, std::size_t n, double level = .95);

// Sample mean (NaN for n = 0) and standard error s/sqrt(n), s with n-1 (NaN for n < 2).
struct Mean {
  double mean = 0, standard_error = 0;
  std::size_t n = 0;
};
[[nodiscard]] Mean mean_and_error(std::span<const double> values);

// Student's interval of the mean: mean ± t s/sqrt(n), t of n - 1 degrees of freedom; unbounded for n < 2.
[[nodiscard]] Interval student_interval(std::span<const double> values, double level = .95);

// Two-sided p-value of Student's test that the mean is 0; NaN for n < 2 and for values that are all the same.
[[nodiscard]] double student_p(std::span<const double> values);

// Pearson's correlation of paired values, with Fisher's interval (1921); none for n < 4 or constant values.
[[nodiscard]] std::optional<Estimate> correlation(std::span<const double> x, std::span<const double> y,
                                                  double level = .95);

[[nodiscard]] double normal_quantile(double p);  // inverse of the standard normal CDF; p in (0,1)

// Quantile p of ascending values (at least one; may be infinite), type 7 of Hyndman and Fan 1996.
[[nodiscard]] double quantile(std::span<const double> sorted, double p);

// Interval of the p-quantile of the distribution of the ascending `sorted`, distribution-free: order
// statistics by the binomial distribution (David and Nagaraja 2003, 7.1). Conservative. An end that n values
// cannot support is -infinity or infinity.
[[nodiscard]] Interval quantile_interval(std::span<const double> sorted, double p, double level = .95);

// Interval that contains a share `level` of the replicates: ends are the (B + 1) tail-th values from either
// end, linear between order statistics (type 6 of Hyndman and Fan 1996), so that each tail has probability
// `tail` for any B (Davison and Hinkley 1997, section 5.2). `sorted`: ascending, at least one value.
[[nodiscard]] Interval replicate_interval(std::span<const double> sorted, double level = .95);

// Percentile bootstrap of a statistic of n rows: replicate b calls statistic(rows) with n indices drawn with
// replacement by Random(seed, stream("bootstrap"), b). For a paired bootstrap of two models, let the
// statistic be the difference on the same rows. Ends are those of replicate_interval; NaN replicates are left
// out (a rare class may have no row), and the ends are NaN if all are. Deterministic; `statistic` must be
// thread-safe.
struct BootstrapOptions {
  std::size_t replicates = 1000;
  double level = .95;
  std::uint64_t seed = 0;
};
[[nodiscard]] Interval bootstrap(std::size_t n,
                                 const std::function<double(std::span<const std::size_t>)>& statistic,
                                 const BootstrapOptions& options = {});

// Exact two-sided McNemar test: b and c count rows on which only one model is right. 1 if b = c.
[[nodiscard]] double mcnemar_p(std::size_t b, std::size_t c);

}  // namespace leeway
