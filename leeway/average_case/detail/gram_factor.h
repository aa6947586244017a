// A Gram matrix made elsewhere as one of vectors again, which takes out what rounding did to it.
//
//   G = L L',   L (k, rank): Cholesky with complete pivoting of D^-1/2 G D^-1/2, D the diagonal of G, stopped where no
//   remaining variance is above `tolerance` of its own  (Higham 2002, Accuracy and Stability, section 10.3).
//
// What is then left would be within the tolerance if G were positive semi-definite: `defect` is the largest of it, of
// asymmetries and of breaches by an empty or negative diagonal, each as a share of sqrt(G_ii G_jj).
// Cost: k rank^2 and (k - rank)^2 rank products. Deterministic.
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
