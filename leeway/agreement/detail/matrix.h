// A matrix of a file, read row by row as float64, and squared distances between rows.
// Shapes: (n,d), n >= 1, d >= 1, float32 or float64, finite and below 1e140 (Error with the row). Only
// requested rows are copied. Squared distances sum squared differences in column order: exact ties stay ties,
// no digits cancel, and the block size has no effect.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/linear_algebra.h"
#include "leeway/core/rows.h"

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

// A copy of all rows, or of those named.
[[nodiscard]] Dense<double> dense(const Matrix& matrix);
[[nodiscard]] Dense<double> dense(const Matrix& matrix, std::span<const std::size_t> rows);

// Subtracts the mean from a column and returns it. A column that is constant up to rounding becomes 0.
double center(std::span<double> column);

// Means of the columns, in one pass.
[[nodiscard]] std::vector<double> column_means(const Matrix& matrix);

// Some rows of a matrix. `means` of the columns, unless empty, are subtracted. The squared distances of
// all pairs of rows of two blocks come from one product of matrices.
class RowBlock {
 public:
  RowBlock(const Matrix& matrix, std::span<const std::size_t> rows, std::span<const double> means = {});

  [[nodiscard]] std::size_t size() const { return squares_.size(); }
  [[nodiscard]] std::span<const double> operator[](std::size_t i) const {
    return std::span(values_).subspan(i * columns_, columns_);
  }
  // u . v of all pairs: (size(), other.size()), row after row.
  [[nodiscard]] std::vector<double> products(const RowBlock& other) const;
  // |u|^2 + |v|^2 for row i of this block and row j of the other.
  [[nodiscard]] double squares(std::size_t i, const RowBlock& other, std::size_t j) const {
    return squares_[i] + other.squares_[j];
  }
  // |u - v|^2 column by column, without the rounding of a product.
  [[nodiscard]] double squared_distance(std::size_t i, const RowBlock& other, std::size_t j) const;

  // The number of rows that takes at most 16 MB, from 16 to 1024.
  [[nodiscard]] static std::size_t rows_of_block(std::size_t columns);

 private:
  std::size_t columns_;
  std::vector<double> values_, squares_;
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
// than two rows, only constant columns. Cost: time m (p + q)^2, memory m (p + q) float64.

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
