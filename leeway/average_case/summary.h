// Statistics of p over samples: distribution, error against Monte Carlo, differences between classes.
// Errors (Error): columns of different lengths, a level outside (0,1), labels outside 0..classes-1.
// Deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/core/statistics.h"

namespace leeway::average_case {

inline constexpr std::array<double, 7> quantile_levels = {.01, .05, .25, .5, .75, .95, .99};

// Mean with the interval of Student's t over samples, clipped to [0,1]; none for a single sample.
struct Distribution {
  std::size_t n = 0;
  double mean = 0;
  std::optional<Interval> interval;
  std::array<double, quantile_levels.size()> quantiles{};  // linear between order statistics
};
[[nodiscard]] Distribution distribution(std::span<const double> p, double level = .95);

// p of a method against Monte Carlo, same samples and sigma. The error includes that of Monte Carlo, whose
// contribution alone is `floor`, the mean of sqrt(2 p (1-p) / (pi M)).
struct AgainstMonteCarlo {
  double mean_absolute = 0, root_mean_square = 0, largest = 0;
  double bias = 0;    // mean of p - p_mc
  Interval interval;  // of mean_absolute: percentile bootstrap over samples
  double floor = 0;
  std::optional<double> rank;  // Spearman's correlation; none where one of the two is constant
};
[[nodiscard]] AgainstMonteCarlo against_monte_carlo(const Column& column, const Column& monte_carlo,
                                                    double level = .95, std::uint64_t seed = 0);

// Class robustness bias (Han et al. 2024, section 4.3): p per class, and whether classes differ.
//   All classes: Kruskal and Wallis (1952), ties corrected, chi-square.
//   Each class against all others: Mann and Whitney (1947), ties corrected, normal approximation with
//   continuity correction, two-sided, adjusted for the number of classes by Holm (1979).
struct ClassDistribution {
  std::int64_t label = 0;
  Distribution distribution;      // n = 0: no sample
  double difference = 0;          // of its mean and that of all others
  std::optional<double> p_value;  // adjusted; none where it or the others have no sample
};
struct ClassBias {
  std::vector<ClassDistribution> classes;
  std::optional<double>
      p_value;  // Kruskal-Wallis; none where fewer than two classes have samples, or all p tie
};
[[nodiscard]] ClassBias class_bias(std::span<const double> p, std::span<const std::int64_t> labels,
                                   std::size_t classes, double level = .95);

// Spearman's correlation of ranks, ties sharing their mean rank.
[[nodiscard]] std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace leeway::average_case
