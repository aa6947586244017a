// A matrix of a file, read row by row as float64, and squared distances between rows.
// Shapes: (n,d), n >= 1, d >= 1, float32 or float64, finite and below 1e140 (Error with the row). Only
// requested rows are copied. Squared distances sum squared differences in column order: exact ties stay ties,
// no digits cancel, and the block size has no effect.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/linear_algebra.h"

namespace leeway::agreement {

class Matrix {
 public:
  // `what` is the word for error messages: "features".
  Matrix(const Array& values, std::string_view name, std::string_view what);

  [[nodiscard]] std::size_t rows() const { return values_.shape[0]; }
  [[nodiscard]] std::size_t columns() const { return values_.shape[1]; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& what() const { return what_; }

  [[nodiscard]] double at(std::size_t row, std::size_t column) const;
  void copy_row(std::size_t row, std::span<double> out) const;  // columns() values
  [[nodiscard]] std::vector<double> row(std::size_t row) const;

 private:
  Array values_;  // shares the caller's storage
  std::string name_, what_;
};

// Error unless both have the same number of columns.
void require_equal_columns(const Matrix& clean, const Matrix& shifted);

[[nodiscard]] std::vector<std::size_t> all_rows(std::size_t n);  // 0 to n - 1

// A copy of all rows, or of those named.
[[nodiscard]] Dense<double> dense(const Matrix& matrix);
[[nodiscard]] Dense<double> dense(const Matrix& matrix, std::span<const std::size_t> rows);

// Subtracts the mean from a column and returns it. A column that is constant up to rounding becomes 0.
double center(std::span<double> column);

// Means of the columns, in one pass.
[[nodiscard]] std::vector<double> column_means(const Matrix& matrix);

// Up to `lanes` rows side by side, column by column.
class RowTile {
 public:
  static constexpr std::size_t lanes = 8;
  RowTile(const Matrix& matrix, std::span<const std::size_t> rows);  // at least one row

  // |row - r|^2 for each row r of the tile; the lanes beyond repeat the last one.
  [[nodiscard]] std::array<double, lanes> squared_distances(std::span<const double> row) const;

 private:
  std::vector<double> values_;
};

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
