// Canonical correlation analysis: directions in two feature spaces along which paired rows agree most.
//
// For X (m,p) and Y (m,q), row i of one belonging to row i of the other, and Xc, Yc their centred columns:
//   U = Xc A, V = Yc B, U^T U = V^T V = I, U^T V = diag(correlations), correlations >= 0 and falling
// (Hotelling 1936). Computed as R's cancor does: orthogonal factors of Xc and Yc, then a singular value
// decomposition of their product. A column that is, but for 1e-7 of its length, a combination of the columns
// before it is left out, so features without full rank are legal: `x_columns` and `y_columns` are what stays.
// The sign of each direction (of both its sides together) is arbitrary, and so are the directions among equal
// correlations. With m - 1 <= p or q rows every correlation may be 1: then it means nothing.
//
// X and Y are rows `x_rows` of x and `y_rows` of y. Errors (Error): row lists of different lengths, fewer
// than two rows, columns of which none varies over those rows. Cost: m (p + q)^2 in time, m (p + q) float64
// in memory; one thread.
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
