// Correlation matrices for the tests of the normal distribution function.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace leeway::average_case {

inline std::vector<double> equicorrelated(std::size_t d, double rho) {
  std::vector<double> r(d * d, rho);
  for (std::size_t i = 0; i < d; ++i) r[i * d + i] = 1;
  return r;
}

// Of linear functions whose gradients are the d rows of u.
inline std::vector<double> correlations_of(std::vector<double> u, std::size_t d) {
  const std::size_t inputs = u.size() / d;
  std::vector<double> r(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < inputs; ++k) square += u[i * inputs + k] * u[i * inputs + k];
    for (std::size_t k = 0; k < inputs; ++k) u[i * inputs + k] /= std::sqrt(square);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < inputs; ++k) sum += u[i * inputs + k] * u[j * inputs + k];
      r[i * d + j] = r[j * d + i] = i == j ? 1 : sum;
    }
  }
  return r;
}

}  // namespace leeway::average_case
