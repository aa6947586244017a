// Factors a Gram matrix from a file, which removes its rounding errors.
//
//   G = L L',   L (k, rank): Cholesky with complete pivoting of D^-1/2 G D^-1/2, D the diagonal of G,
//   stopped if no remaining variance exceeds `tolerance` (Higham 2002, Accuracy and Stability, section 10.3).
//
// `defect` is the largest remainder, asymmetry or violation by an empty or negative diagonal, as a share of
// sqrt(G_ii G_jj); within the tolerance if G is positive semi-definite. Cost: k rank^2 + (k - rank)^2 rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leeway::average_case {

struct GramFactor {
  std::size_t rank = 0;
  std::vector<double> rows;  // L (k, k) row-major, 0 beyond the first `rank` columns
  double defect = 0;
};
[[nodiscard]] GramFactor gram_factor(std::span<const double> gram, std::size_t k, double tolerance);

}  // namespace leeway::average_case
