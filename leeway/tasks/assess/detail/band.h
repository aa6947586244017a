// The source's own range: where a chunk of n rows falls that was drawn as the source's N rows were.
//
// A band of level 1 - a holds such a chunk with probability 1 - a, half of a on either side. For a timeline of m chunks
// a is (1 - level) / m (Bonferroni): where nothing moved, all chunks lie within a measure's band at once with
// probability `level`.
//
// Shares (accuracy). K of the source's rows are right. Given c + K right ones among n + N, c is hypergeometric whatever
// the true share, so a chunk with c is out where P(C <= c) or P(C >= c) is at most a / 2 (the joint sampling approach;
// Krishnamoorthy and Peng 2011). Exact: the level is at least what is promised.
//
// Means (confidence). The chunk's mean minus the source's has variance s^2 (1/n + 1/N), third cumulant k3 (1/n^2 -
// 1/N^2) and fourth k4 (1/n^3 + 1/N^3), with the source's s^2, k3, k4. Its quantiles by Cornish and Fisher's expansion
// to these, cut to the range of the values: close to the level, not exact.
//
// Other statistics of a chunk (an estimate of the error, the distance of the mixes of predicted classes). `draws`
// chunks of n rows are drawn from the source, with replacement, by the seed, at sizes that double from the smallest
// chunk's to the largest's but at most `most_drawn` rows. Their mean, deviation, skewness and excess give quantiles by
// Cornish and Fisher's expansion; deviations, and the mean of a distance, which is all chance, are widened by sqrt(1 +
// n/N) for the source's own chance. Between sizes all go linearly in 1 / sqrt(n). A distance has an upper end alone,
// with all of a.
//
// What draws and expansions give is tested on simulated sets at rest: docs/time.md says how often they are left.
// Errors: none; n, N > 0. Cost: a share's tails sqrt(n) terms, log n times. Deterministic.
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
};
[[nodiscard]] Moments moments_of(std::span<const double> values);
[[nodiscard]] Interval mean_band(const Moments& source, std::size_t n, double rest);

inline constexpr std::size_t most_drawn = 4096;

// What is measured of a drawn chunk: source rows, with repeats, to one number each of a fixed list.
using Measure = std::function<std::vector<double>(std::span<const std::size_t>)>;

struct DrawnBandOptions {
  std::size_t draws = 2000;
  std::uint64_t seed = 0;
};

// The bands of several measures, from the same draws.
class DrawnBands {
 public:
  // `sizes`: of the chunks. `measure` is called from several threads.
  DrawnBands(std::size_t source_n, std::span<const std::size_t> sizes, const Measure& measure,
             const DrawnBandOptions& options);

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
