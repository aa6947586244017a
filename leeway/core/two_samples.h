// Two-sample tests, and distances with intervals.
//
// homogeneity: categories. Pearson's chi-square of the 2 x k table of counts. If all expected counts are at
// least `enough_expected`, the chi-square distribution with k - 1 degrees of freedom (k: categories that
// occur); else tables drawn with the same margins (contingency.h), p = (1 + hits) / (1 + draws), valid for
// any counts. Drawing stops after 199 draws if p > .1, which changes no decision at a level up to .1. If no
// draw reaches the table, p is Chernoff's bound on the exact probability where that is smaller: with a of n
// rows in the first sample, x_j of the c_j rows of category j among them, and Q = sum_j x_j^2 / c_j, which
// orders tables as chi-square does,
//   P(Q >= q) <= min over t >= 0, u of  e^(-t q - u a) prod_j [sum_x C(c_j, x) e^(t x^2 / c_j + u x)] / C(n, a).
// p = 1 if a sample is empty or both hold one and the same category.
//
// kolmogorov_smirnov: numbers, ties allowed. D = max |F(x) - G(x)|. If n m <= 10^6, p is exact
// given the pooled values: the share of lattice paths from (0,0) to (n,m) that reach D at the end of a block
// of ties (Schroeer and Trenkler, Comput. Stat. Data Anal. 20, 1995). Beyond, the limit at lambda = D (s +
// .12 + .11/s), s^2 = nm/(n+m) (Stephens 1970), which ties make conservative.
//
// total_variation: T = sum_j |p_j - q_j| / 2. Its bias is at most B = sum_j sqrt(v_j / 2 pi), v_j = r_j (1 -
// r_j) (1/n + 1/m), r_j the pooled share. One row changes T by at most 1/n, so its standard deviation is at
// most s = sqrt(1/n + 1/m) / 2. The interval from T - B - z s to T + z s, clipped to [0,1], is conservative,
// more so for larger T (docs/studies/drift.md).
//
// mean_change: mean of b minus mean of a, values within [least, most]: square-and-add (Zou and Donner 2008)
// of two intervals of bounded_mean.h, which have a width even for constant values and n = 1.
//
// Errors (Error): spans of unequal length, empty samples of numbers, NaN, levels outside (0,1). Deterministic
// for any number of threads; the order of values changes only rounding. Cost: homogeneity O(k), with few
// counts draws x k, and O(n) if no draw reaches the table; Kolmogorov-Smirnov a sort and O(min(nm, 1e6)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/core/statistics.h"

namespace leeway {

inline constexpr double enough_expected = 5;

struct TwoSampleTest {
  double statistic = 0;  // chi-square, or D
  double p = 1;
  bool exact = false;  // by its distribution at these sizes (drawn, for counts); else by the limit
};

struct HomogeneityOptions {
  std::size_t draws = 1999;
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;  // random.h
};

// Counts of the same categories in the same order.
[[nodiscard]] TwoSampleTest homogeneity(std::span<const std::size_t> a, std::span<const std::size_t> b,
                                        const HomogeneityOptions& options = {});

[[nodiscard]] TwoSampleTest kolmogorov_smirnov(std::vector<double> a, std::vector<double> b);

// 0 to 1 where either sample is empty.
[[nodiscard]] Estimate total_variation(std::span<const std::size_t> a, std::span<const std::size_t> b,
                                       double level = .95);

[[nodiscard]] Estimate mean_change(std::span<const double> a, std::span<const double> b, double least,
                                   double most, double level = .95);

}  // namespace leeway
