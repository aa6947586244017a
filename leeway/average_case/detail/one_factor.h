// One-factor correlation matrices, R_ij = l_i l_j for i != j: given the factor, variables are independent:
//   p = integral phi(t) prod_i Phi((b_i - l_i t) / s_i) dt,   s_i^2 = 1 - l_i^2,
// with a log-concave integrand. Every 2 x 2 matrix has one factor. With three or more variables all products
// of loadings must be correlations: true for equicorrelated matrices only if the correlation is positive.
//
// For small s_i the term is a step at b_i / l_i. Panels of the integral begin and end at the steps, so the
// integrand is smooth within a panel and no step can hide between nodes.
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

// Bound on the change of p, as a share of exp(log_value), if the correlation of limits a and b changes from r
// to s. By Plackett's identity dp/dr is at most the bivariate density at (a, b), whose integral over [r, s]
// is at most |asin s - asin r| exp(-q / 2) / 2 pi (Li and Shao 2002); in tails the log derivative is tighter.
[[nodiscard]] double relative_change(double r, double s, double a, double b, double log_value);

// P(X <= a, Y > b) of standard normal X and Y, correlation rho.
[[nodiscard]] double excess_probability(double a, double b, double rho);

// The least-squares factor of the correlations, if it explains a good part. The remainder may be indefinite.
[[nodiscard]] std::optional<CommonFactor> common_factor(const Problem& problem);

}  // namespace leeway::average_case
