// Constants of the kernel; plain loops for incomplete tiles and for rows whose P underflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "leeway/agreement/detail/kernel.h"

namespace leeway::agreement {

inline constexpr double log2_e = 1.4426950408889634, log_2 = 0.6931471805599453;

// Above this P, terms clamped at 2^lowest_exponent = 3e-148 are negligible for any k.
inline constexpr double smallest_p = 1e-120;

// 2^f on [-1/2, 1/2], interpolated at the Chebyshev nodes; relative error 2.9e-16.
inline constexpr int exp2_degree = 10;
inline constexpr double exp2_coefficients[exp2_degree + 1] = {1.0,
                                                              0.69314718055995,
                                                              0.24022650695910097,
                                                              0.05550410866444772,
                                                              0.009618129107606888,
                                                              0.0013333558230164974,
                                                              0.0001540353044173605,
                                                              1.5252657260200837e-05,
                                                              1.321544258792169e-06,
                                                              1.0208690299958306e-07,
                                                              7.072585949269223e-09};

// log sum_j exp(beta y_j) with its first two derivatives in beta, shifted by the largest y.
struct LogSum {
  double value = 0, mean = 0, variance = 0;
};

template <class Y>
LogSum log_sum(std::size_t k, double beta, const Y& y) {
  double top = y(0);
  for (std::size_t j = 1; j < k; ++j) top = std::max(top, y(j));
  double z = 0, s = 0, v = 0;
  for (std::size_t j = 0; j < k; ++j) {
    const double u = y(j) - top;
    const double e = std::exp(beta * u);
    z += e, s += e * u, v += e * u * u;
  }
  const double mean = s / z;
  return {beta * top + std::log(z), top + mean, std::max(0., v / z - mean * mean)};
}

// log sum_j exp(beta y_j + v_j), likewise.
template <class Y>
LogSum log_sum(std::size_t k, double beta, const Y& y, std::span<const double> v) {
  std::size_t top = 0;
  for (std::size_t j = 1; j < k; ++j)
    if (beta * y(j) + v[j] > beta * y(top) + v[top]) top = j;
  double z = 0, s = 0, q = 0;
  for (std::size_t j = 0; j < k; ++j) {
    const double u = y(j) - y(top), e = std::exp(beta * u + v[j] - v[top]);
    z += e, s += e * u, q += e * u * u;
  }
  const double mean = s / z;
  return {beta * y(top) + v[top] + std::log(z), y(top) + mean, std::max(0., q / z - mean * mean)};
}

inline std::size_t band_of(double scaled_spread) {
  std::size_t band = 0;
  while (band + 1 < bands && scaled_spread > band_edges[band]) ++band;
  return band;
}

// One row of spread `spread`; `weights`: logarithms of the weights of classes in P, or empty.
template <class X1, class X2>
Moments moments_of(std::size_t k, double beta, double spread, const X1& x1, const X2& x2,
                   std::span<const double> weights = {}) {
  const auto x12 = [&](std::size_t j) { return x1(j) + x2(j); };
  const LogSum both = weights.empty() ? log_sum(k, beta, x12) : log_sum(k, beta, x12, weights);
  const LogSum one = log_sum(k, beta, x1), two = log_sum(k, beta, x2);
  Moments m;
  m.f1 = both.value, m.d1 = both.mean;
  m.f2 = one.value + two.value, m.d2 = one.mean + two.mean;
  m.squares = (m.f1 - m.f2) * (m.f1 - m.f2);
  const std::size_t band = band_of(beta * spread);
  m.c1[band] = both.variance, m.c2[band] = one.variance + two.variance;
  return m;
}

// Class j of row `row` of one tile; set 0 = clean, 1 = shifted. Null maxima: the tile holds x, not F.
template <class T>
double tile_value(const T* tile, const T* maxima, std::size_t k, std::size_t set, std::size_t j,
                  std::size_t row) {
  const double value = tile[(set * k + j) * tile_rows + row];
  return maxima == nullptr ? value : value - static_cast<double>(maxima[set * tile_rows + row]);
}

}  // namespace leeway::agreement
