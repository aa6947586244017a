// Multivariate normal probabilities by separation of variables on randomly shifted lattices.
#pragma once

#include <cmath>

#include "leeway/average_case/detail/ordering.h"
#include "leeway/average_case/mvn_cdf.h"

namespace leeway::average_case {

struct Sampled {
  double log_value = 0;
  double relative_error = 0;  // a bound that holds with 99%
  std::size_t points = 0;
  MvnMethod method = MvnMethod::plain;
};

// A pilot of 256 points chooses the integrand. The estimate uses other shifts and doubles the lattice until
// value * relative_error and -log(1 - relative_error) are within their tolerances. Throws Error unless the
// correlation is positive semi-definite.
[[nodiscard]] Sampled sample_probability(const Problem& problem, const MvnOptions& options);

// Throws Error where the correlation is not positive semi-definite.
void check_semidefinite(const Problem& problem);

[[nodiscard]] inline bool within(double log_value, double relative_error, const MvnOptions& options) {
  return std::exp(log_value) * relative_error <= options.tolerance && relative_error < 1 &&
         -std::log1p(-relative_error) <= options.log_tolerance;
}

}  // namespace leeway::average_case
