// Triangular factors of correlation matrices: variables ordered for sampling, singular rows separated.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/average_case/detail/integrand.h"
#include "leeway/core/progress.h"

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

// R = C C^T (+ loadings loadings^T), C (d, rank) with rows in the order of the problem, triangular in the
// order `pivots`. The next variable has the lowest limit given the earlier ones at their expected values
// (Gibson, Glasbey and Elston 1994). A near copy (conditional deviation at most `copy_share` of what the last
// pivot took) follows its original. Conditional variances up to `singular` or `floor` (near copies:
// `singular_copy`) count as 0.
struct Triangle {
  std::size_t rank = 0;
  std::vector<std::size_t> pivots;         // (rank)
  std::vector<char> copy;                  // (rank): near copies of the pivot before
  std::vector<std::size_t> singular_rows;  // what the pivots determine
  std::vector<double> c;                   // (d, d), the first `rank` columns are used
  std::vector<double> z, mean;             // (rank): limit and truncated mean of each variable on the way
  double blur = 0;           // bound on the change of p by taking the singular rows' variances as 0
  double relative_blur = 0;  // the same of log p, to first order
  double defect = 0;         // largest breach of positive semi-definiteness
  bool unparted = false;     // near copies stand as any other variable

  [[nodiscard]] bool any_copy() const;
};
inline constexpr double singular = 1e-10, singular_copy = 1e-13;
inline constexpr double copy_share = .1;
inline constexpr double largest_defect = 1e-5;  // float32 rounding of 1,000 correlations stays below

// Unparted where there are near copies but the matrix was rounded too coarsely to part them.
[[nodiscard]] Triangle triangle_of(const Problem& problem, const CommonFactor* factor = nullptr);
[[nodiscard]] Triangle unparted_triangle_of(const Problem& problem, double floor = singular,
                                            const CommonFactor* factor = nullptr);

// The untilted integrand. Remainders of near copies are drawn first and without a limit; like singular rows,
// their constraints limit the variables that determine them. Drawn last, each limit would be a step.
[[nodiscard]] Integrand integrand_of(const Problem& problem, const Triangle& triangle,
                                     const CommonFactor* factor = nullptr);

// Where the variable of each pivot stands in the integrand.
[[nodiscard]] std::vector<std::size_t> places_of(const Triangle& triangle, std::size_t offset);

// Factors a Gram matrix from a file, which removes its rounding errors.
//
//   G = L L',   L (k, rank): Cholesky with complete pivoting of D^-1/2 G D^-1/2, D the diagonal of G,
//   stopped if no remaining variance exceeds `tolerance` (Higham 2002, Accuracy and Stability, section 10.3).
//
// `defect` is the largest remainder, asymmetry or violation by an empty or negative diagonal, as a share of
// sqrt(G_ii G_jj); within the tolerance if G is positive semi-definite. Cost: k rank^2 + (k - rank)^2 rank.

struct GramFactor {
  std::size_t rank = 0;
  std::vector<double> rows;  // L (k, k) row-major, 0 beyond the first `rank` columns
  double defect = 0;
};
[[nodiscard]] GramFactor gram_factor(std::span<const double> gram, std::size_t k, double tolerance);

}  // namespace leeway::average_case
