// One-factor correlation matrices, R_ij = l_i l_j for i != j: given the factor, variables are independent, and
//   p = integral phi(t) prod_i Phi((b_i - l_i t) / sqrt(1 - l_i^2)) dt,
// whose integrand is log-concave. Every matrix of two variables is one, and every equicorrelated one.
#pragma once

#include <optional>
#include <vector>

#include "leeway/average_case/ordering.h"

namespace leeway::average_case {

// Loadings, where they give the correlations to 1e-12.
[[nodiscard]] std::optional<std::vector<double>> one_factor_loadings(const Problem& problem);

struct Quadrature {
  double log_value = 0, relative_error = 0;
};
[[nodiscard]] Quadrature one_factor_probability(const Problem& problem, const std::vector<double>& loadings);

// The factor that explains the correlations best in the least-squares sense, where one explains a good part. What
// it leaves need not be positive semi-definite.
[[nodiscard]] std::optional<CommonFactor> common_factor(const Problem& problem);

}  // namespace leeway::average_case
