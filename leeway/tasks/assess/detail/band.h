// The source's band: where a chunk of n rows falls if drawn as the source's N rows were.
//
// A band of level 1 - a holds such a chunk with probability 1 - a, with a / 2 on either side. For m chunks a
// is (1 - level) / (m w) (Bonferroni), w the number of measures that raise alarms, the tests among them: without a
// shift, nothing is raised with probability `level`.
//
// Shares (accuracy). K of the source's rows are right. Given c + K right among n + N, c is hypergeometric
// whatever the true share; a chunk with c is out if P(C <= c) or P(C >= c) is at most a / 2 (joint sampling
// approach; Krishnamoorthy and Peng 2011). Exact: the level is at least the nominal one.
//
// Means (confidence). The chunk's mean minus the source's has variance s^2 (1/n + 1/N), third cumulant k3
// (1/n^2 - 1/N^2) and fourth k4 (1/n^3 + 1/N^3), with the source's s^2, k3, k4. Quantiles by Cornish-Fisher
// expansion, cut to the range of the values: approximate.
//
// Other statistics (an error estimate, the distance between mixes of predicted classes). The seed draws
// `draws` chunks of n rows from the source with replacement, at sizes that double from the smallest to the
// largest chunk's, at most `most_drawn`. Cornish-Fisher quantiles use their mean, deviation, skewness and
// excess; sqrt(1 + n/N) widens deviations, and a distance's mean (all chance), for the source's own chance.
// Linear in 1 / sqrt(n) between sizes. A distance has only an upper end, with all of a.
//
// docs/guides/time.md has the false alarm rates on simulated sets without a shift. Errors: none; n, N > 0. Cost:
// sqrt(n) terms, log n times, for a share. Deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "leeway/core/statistics.h"

namespace leeway::assess {

// Of the share of n rows; `rest` is a.
[[nodiscard]] Interval share_band(std::size_t right, std::size_t source_n, std::size_t n, double rest);

// Central moments of values that means are taken of.
struct Moments {
  double mean = 0, variance = 0, third = 0, fourth = 0;  // cumulants from the second on
  double least = 0, most = 0;                            // of the values
  std::size_t n = 0;

  [[nodiscard]] double skew() const;  // 0 of equal values
  [[nodiscard]] double excess() const;
};
[[nodiscard]] Moments moments_of(std::span<const double> values);
[[nodiscard]] Interval mean_band(const Moments& source, std::size_t n, double rest);

inline constexpr std::size_t most_drawn = 4096;

// What is measured of a drawn chunk: source rows, with repeats, to one number each of a fixed list.
using Measure = std::function<std::vector<double>(std::span<const std::size_t>)>;

// The bands of several measures, from the same draws.
class DrawnBands {
 public:
  // `sizes`: of the chunks. `measure` is called from several threads.
  DrawnBands(std::size_t source_n, std::span<const std::size_t> sizes, const Measure& measure,
             std::size_t draws, std::uint64_t seed);

  [[nodiscard]] Interval band(std::size_t measure, std::size_t n, double rest) const;
  [[nodiscard]] Interval distance_band(std::size_t measure, std::size_t n, double rest) const;  // from 0

 private:
  struct Shape {
    double mean = 0, scale = 0, skew = 0, excess = 0;  // scale and skewness times sqrt(n), excess times n
  };
  [[nodiscard]] Shape at(std::size_t measure, std::size_t n) const;

  std::size_t source_n_;
  std::vector<std::size_t> sizes_;
  std::vector<std::vector<Shape>> shapes_;  // of every size, of every measure
};

}  // namespace leeway::assess
