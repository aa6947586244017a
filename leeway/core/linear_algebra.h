// Dense linear algebra: products, decompositions and solvers, by Eigen. OpenBLAS computes large ones where it is
// installed; the results differ by at most 1e-12 of the largest value.
//
// Shapes: Dense is (rows, columns), column-major; RowMajor is a row-major view. Shapes that do not fit are
// undefined behavior. Decompositions need finite values. Cost: products n m k operations, decompositions
// about n m min(n,m). Bits do not depend on the number of threads; they may differ between instruction sets.
// Use this when an analysis needs more than a plain loop over a matrix.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace leeway {

template <class T>
struct Dense {
  std::size_t rows = 0, columns = 0;
  std::vector<T> values;  // (columns, rows): column after column

  Dense() = default;
  Dense(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}

  [[nodiscard]] T& operator()(std::size_t i, std::size_t j) { return values[j * rows + i]; }
  [[nodiscard]] const T& operator()(std::size_t i, std::size_t j) const { return values[j * rows + i]; }
  [[nodiscard]] std::span<T> column(std::size_t j) { return std::span(values).subspan(j * rows, rows); }
  [[nodiscard]] std::span<const T> column(std::size_t j) const {
    return std::span(values).subspan(j * rows, rows);
  }
};

template <class T>
struct RowMajor {
  const T* values;
  std::size_t rows, columns;
};

// Vectors.
[[nodiscard]] double sum(std::span<const double> x);
[[nodiscard]] double dot(std::span<const double> x, std::span<const double> y);
[[nodiscard]] double norm(std::span<const double> x);      // |x|
[[nodiscard]] double max_abs(std::span<const double> x);   // max |x_i|; 0 of none
[[nodiscard]] bool all_finite(std::span<const double> x);  // at the speed of memory
[[nodiscard]] bool all_finite(std::span<const float> x);
void add_scaled(std::span<double> to, double factor, std::span<const float> x);  // to += factor x

// Products.
[[nodiscard]] std::vector<double> times(const Dense<double>& a, std::span<const double> x);  // a x
[[nodiscard]] std::vector<double> transposed_times(const Dense<double>& a,
                                                   std::span<const double> x);                 // a' x
[[nodiscard]] Dense<double> transposed_times(const Dense<double>& a, const Dense<double>& b);  // a' b
[[nodiscard]] Dense<double> times_transposed(const Dense<double>& a, const Dense<double>& b);  // a b'
[[nodiscard]] Dense<double> transposed_times(RowMajor<double> a, RowMajor<double> b);          // a' b
// Row after row: a b, where b is either kind of matrix.
[[nodiscard]] std::vector<double> times(RowMajor<double> a, const Dense<double>& b);
[[nodiscard]] std::vector<double> times(RowMajor<double> a, RowMajor<double> b);
[[nodiscard]] std::vector<double> times_transposed(RowMajor<double> a, RowMajor<double> b);  // a b'
[[nodiscard]] std::vector<double> times(RowMajor<double> a, std::span<const double> x);      // a x
[[nodiscard]] std::vector<double> gram_of_rows(RowMajor<double> a);  // a a', (rows, rows)
void add_gram(Dense<double>& lower, RowMajor<double> a);             // the lower triangle += that of a' a

// Means of columns and sums of squared deviations from them.
struct ColumnMoments {
  std::vector<double> mean, squares;
};
[[nodiscard]] ColumnMoments column_moments(RowMajor<double> a);

// Decompositions and solvers.
// a = sum_i values_i v_i v_i', values rising, v_i column i of `vectors`. Reads the lower triangle of a (n,n).
struct SymmetricEigen {
  std::vector<double> values;
  Dense<double> vectors;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Dense<double>& a,
                                             std::size_t leading);  // the largest alone
[[nodiscard]] SymmetricEigen symmetric_eigen(RowMajor<double> a);

// a = u diag(values) v', values falling, u and v with min(rows, columns) columns.
struct Svd {
  std::vector<double> values;
  Dense<double> u, v;
};
[[nodiscard]] Svd singular_value_decomposition(const Dense<double>& a);
[[nodiscard]] std::vector<double> singular_values(const Dense<double>& a);  // falling

// The upper triangle r (columns, columns) with r' r = a' a, by Householder reflections; rows >= columns.
[[nodiscard]] Dense<double> triangular_factor(const Dense<double>& a);
// The same from the lower triangle of a' a, by Cholesky: three times as fast, but its error grows with the condition number.
// None above `most_condition`, an estimate in the 1-norm.
[[nodiscard]] std::optional<Dense<double>> factor_of_gram(const Dense<double>& lower, double most_condition);

// Columns of a that no combination of earlier ones is, and a's part in them: a[kept] = q r, q' q = 1, r upper
// triangular. A column counts as dependent where at most `dependent` of its length is left; `most` at most are kept.
struct IndependentColumns {
  std::vector<std::size_t> kept;
  Dense<double> q, r;
};
[[nodiscard]] IndependentColumns independent_columns(const Dense<double>& a, double dependent,
                                                     std::size_t most);

[[nodiscard]] Dense<double> solve_upper(const Dense<double>& r,
                                        const Dense<double>& b);  // r x = b, r upper triangular
[[nodiscard]] Dense<double> solve_symmetric(const Dense<double>& a,
                                            const Dense<double>& b);  // lower triangle read

}  // namespace leeway
