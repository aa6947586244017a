// Canonical correlation analysis: directions in two feature spaces along which paired rows correlate.
//
// For X (m,p) and Y (m,q) with paired rows and centred columns Xc, Yc:
//   U = Xc A, V = Yc B, U^T U = V^T V = I, U^T V = diag(correlations), correlations >= 0 and decreasing
// (Hotelling 1936). Computed like R's cancor: singular value decomposition of the product of the orthogonal
// factors of Xc and Yc. Columns that depend linearly on earlier ones (up to 1e-7 of their length) are
// dropped; `columns` lists the rest. Directions have an arbitrary sign, and are arbitrary among equal
// correlations. With m - 1 <= p or q every correlation may be 1 and means nothing.
//
// X and Y are rows `x_rows` of x and `y_rows` of y. Errors (Error): row lists of different lengths, fewer
// than two rows, only constant columns. Cost: time m (p + q)^2 on one thread, memory m (p + q) float64.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/agreement/detail/matrix.h"

namespace leeway::agreement {

// One of the two sides: variates of a row x are (x[columns] - means[columns]) coefficients.
struct CanonicalSide {
  std::vector<std::size_t> columns;  // independent ones, rising; r of them
  std::vector<double> means;         // of all columns
  std::vector<double> coefficients;  // (r, directions), row-major

  // Every row of `matrix` in canonical directions: (n, directions).
  [[nodiscard]] Array project(const Matrix& matrix) const;
};

struct CanonicalCorrelations {
  std::vector<double> correlations;  // in [0,1], falling; min(rank X, rank Y) of them
  CanonicalSide x, y;                // with as many directions
};

[[nodiscard]] CanonicalCorrelations canonical_correlations(const Matrix& x,
                                                           std::span<const std::size_t> x_rows,
                                                           const Matrix& y,
                                                           std::span<const std::size_t> y_rows);

}  // namespace leeway::agreement
