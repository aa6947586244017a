// Correlation matrices as triangles: variables in an order that helps sampling, singular rows set apart.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/average_case/integrand.h"

namespace leeway::average_case {

// P(Z <= upper), Z ~ N(0, correlation), correlation (d,d) with ones on its diagonal, upper finite.
struct Problem {
  std::vector<double> upper;
  std::vector<double> correlation;
  [[nodiscard]] std::size_t d() const { return upper.size(); }
};

// A common factor: Z_i = loadings_i t + E_i, t standard normal, near `centre` where it matters.
struct CommonFactor {
  std::vector<double> loadings;
  double centre = 0, spread = 0;
};

// R = C C^T (+ loadings loadings^T), C (d, rank) with rows in the order of the problem, triangular in the order
// `pivots`. At each step the next variable is the one whose limit is lowest given those before at their expected
// values (Gibson, Glasbey and Elston 1994). Conditional variances up to `singular` count as 0.
struct Triangle {
  std::size_t rank = 0;
  std::vector<std::size_t> pivots;         // (rank)
  std::vector<std::size_t> singular_rows;  // what the pivots determine
  std::vector<double> c;                   // (d, d), the first `rank` columns are used
  std::vector<double> z, mean;             // (rank): limit and truncated mean of each variable on the way
  double blur = 0;    // bound on the change of log p by taking the singular rows' variances as 0, roughly
  double defect = 0;  // largest breach of positive semi-definiteness
};
inline constexpr double singular = 1e-10;
inline constexpr double largest_defect = 1e-5;  // float32 rounding of 1,000 correlations stays below

[[nodiscard]] Triangle triangle_of(const Problem& problem, const CommonFactor* factor = nullptr);

// The integrand at a triangle, untilted.
[[nodiscard]] Integrand integrand_of(const Problem& problem, const Triangle& triangle,
                                     const CommonFactor* factor = nullptr);

}  // namespace leeway::average_case
