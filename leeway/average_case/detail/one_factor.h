// Correlation matrices of one factor, R_ij = l_i l_j for i != j: given the factor, variables are independent, and
//   p = integral phi(t) prod_i Phi((b_i - l_i t) / s_i) dt,   s_i^2 = 1 - l_i^2,
// whose integrand is log-concave. Every matrix of two variables is one. With three and more, all products of loadings
// must be correlations: equicorrelated matrices of a positive correlation are, those of a negative one are not.
//
// Where s_i is small its term is a step at b_i / l_i. Panels of the integral begin and end at the steps; between
// them the integrand is smooth, so that no step can hide between nodes.
#pragma once

#include <optional>
#include <vector>

#include "leeway/average_case/detail/ordering.h"

namespace leeway::average_case {

struct OneFactor {
  std::vector<double> loadings;
  std::vector<double> deviations;  // s_i, which 1 - l_i^2 would round where l_i is next to 1
};

// Where loadings give the correlations to 1e-12.
[[nodiscard]] std::optional<OneFactor> one_factor_of(const Problem& problem);

struct Quadrature {
  double log_value = 0, relative_error = 0;
};
[[nodiscard]] Quadrature one_factor_probability(const Problem& problem, const OneFactor& factor,
                                                const Progress* stop = nullptr);

// Bound on the change of p, as a share of exp(log_value), where a correlation of limits a and b is `s` for `r`. By
// Plackett's identity dp/dr is at most the bivariate density at (a, b), whose integral over [r, s] is at most
// |asin s - asin r| exp(-q / 2) / 2 pi (Li and Shao 2002); in tails the derivative of its logarithm says more.
[[nodiscard]] double relative_change(double r, double s, double a, double b, double log_value);

// P(X <= a, Y > b) of standard normal X and Y, correlation rho.
[[nodiscard]] double excess_probability(double a, double b, double rho);

// The factor that explains the correlations best in the least-squares sense, where one explains a good part. What
// it leaves need not be positive semi-definite.
[[nodiscard]] std::optional<CommonFactor> common_factor(const Problem& problem);

}  // namespace leeway::average_case
