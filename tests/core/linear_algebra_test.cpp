#include "leeway/core/linear_algebra.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "leeway/core/lapack.h"
#include "leeway/core/random.h"

namespace leeway::linear_algebra_test {

using Matrix = Dense<double>;

Matrix random_matrix(std::size_t rows, std::size_t columns) {
  Random random(rows * 1000 + columns, stream("linear algebra"));
  Matrix a(rows, columns);
  for (double& x : a.values) x = random.uniform() - .5;
  return a;
}

Matrix transposed(const Matrix& a) {
  Matrix result(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  return result;
}

Matrix scaled(Matrix a, std::span<const double> factors) {
  for (std::size_t j = 0; j < a.columns; ++j)
    for (double& x : a.column(j)) x *= factors[j];
  return a;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    most = std::max(most, std::abs(a.values[i] - b.values[i]));
  return most;
}

void expect_orthonormal(const Matrix& a) {
  Matrix unit(a.columns, a.columns);
  for (std::size_t i = 0; i < a.columns; ++i) unit(i, i) = 1;
  EXPECT_LT(largest_difference(transposed_times(a, a), unit), 1e-12);
}

void expect_decomposed(const Matrix& a, const Svd& svd) {
  EXPECT_TRUE(std::ranges::is_sorted(svd.values, std::greater()));
  EXPECT_LT(largest_difference(times_transposed(scaled(svd.u, svd.values), svd.v), a), 1e-12 * svd.values[0]);
  expect_orthonormal(svd.u);
  expect_orthonormal(svd.v);
}

// Sizes around the limit of 100 from which OpenBLAS is asked.
TEST(LinearAlgebra, SingularValuesGiveTheMatrix) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                      {5, 5},
                                      {7, 3},
                                      {3, 7},
                                      {60, 60},
                                      {99, 20},
                                      {150, 150},
                                      {20, 130},
                                      {130, 20}}) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
    const Matrix a = random_matrix(rows, columns);
    const Svd svd = singular_value_decomposition(a);
    expect_decomposed(a, svd);
    const std::vector<double> values = singular_values(a);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], svd.values[i], 1e-12);
  }
}

TEST(LinearAlgebra, SingularValuesOfFewIndependentColumns) {
  for (const std::size_t n : {6, 40, 120}) {
    SCOPED_TRACE(n);
    const Matrix a = times_transposed(random_matrix(n, 3), random_matrix(n - 1, 3));
    const Svd svd = singular_value_decomposition(a);
    expect_decomposed(a, svd);
    EXPECT_GT(svd.values[2], 1e-3);
    EXPECT_LT(svd.values[3], 1e-12);
  }
  const Svd none = singular_value_decomposition(Matrix(4, 3));
  EXPECT_THAT(none.values, ::testing::Each(0));
  expect_orthonormal(none.u);
}

TEST(LinearAlgebra, EigenvaluesGiveTheMatrix) {
  for (const std::size_t n : {1, 30, 99, 100, 180}) {
    SCOPED_TRACE(n);
    const Matrix r = random_matrix(n, n), a = transposed_times(r, r);
    const auto [values, vectors] = symmetric_eigen(a, n);
    EXPECT_TRUE(std::ranges::is_sorted(values));
    EXPECT_LT(largest_difference(times_transposed(scaled(vectors, values), vectors), a),
              1e-12 * values.back());
    expect_orthonormal(vectors);
    const std::size_t leading = (n + 2) / 3;
    const SymmetricEigen some = symmetric_eigen(a, leading);
    ASSERT_EQ(some.vectors.columns, leading);
    for (std::size_t i = 0; i < leading; ++i)
      EXPECT_NEAR(some.values[i], values[n - leading + i], 1e-12 * values.back());
    const Matrix spread = scaled(some.vectors, some.values);
    EXPECT_LT(largest_difference(times_transposed(transposed(a), transposed(some.vectors)), spread),
              1e-12 * values.back());
  }
}

TEST(LinearAlgebra, TriangularFactorsGiveTheSquares) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{9, 4}, {99, 99}, {1000, 300}}) {
    const Matrix a = random_matrix(rows, columns), r = triangular_factor(a);
    EXPECT_LT(largest_difference(transposed_times(r, r), transposed_times(a, a)), 1e-10);
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t i = j + 1; i < columns; ++i) EXPECT_EQ(r(i, j), 0);
    const std::optional<Matrix> quick = factor_of_gram(transposed_times(a, a), 1e10);
    ASSERT_TRUE(quick);
    EXPECT_LT(largest_difference(transposed_times(*quick, *quick), transposed_times(a, a)), 1e-10);
  }
}

TEST(LinearAlgebra, FactorOfAGramMatrixNeedsItsCondition) {
  for (const std::size_t n : {4, 150}) {
    Matrix gram(n, n);
    for (std::size_t i = 0; i < n; ++i) gram(i, i) = i == 0 ? 1e-6 : 1;
    EXPECT_TRUE(factor_of_gram(gram, 1.1e6));
    EXPECT_FALSE(factor_of_gram(gram, .9e6));
    gram(0, 0) = 0;
    EXPECT_FALSE(factor_of_gram(gram, 1e300));
    gram(0, 0) = -1;
    EXPECT_FALSE(factor_of_gram(gram, 1e300));
  }
}

// The larger size is OpenBLAS's work.
TEST(LinearAlgebra, ProductsAreThoseOfALoop) {
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{3, 5, 2}, {420, 401, 410}}) {
    const Matrix a = random_matrix(m, k), b = random_matrix(k, n), ta = transposed(a), tb = transposed(b);
    Matrix expected(m, n);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l)
        for (std::size_t i = 0; i < m; ++i) expected(i, j) += a(i, l) * b(l, j);
    const RowMajor<double> rows_a{ta.values.data(), m, k}, rows_b{tb.values.data(), k, n},
        rows_ta{a.values.data(), k, m}, rows_tb{b.values.data(), n, k};
    const auto near = [&, m = m, n = n](const std::vector<double>& found) {
      Matrix columns(m, n);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) columns(i, j) = found[i * n + j];
      EXPECT_LT(largest_difference(columns, expected), 1e-12);
    };
    EXPECT_LT(largest_difference(transposed_times(ta, b), expected), 1e-12);
    EXPECT_LT(largest_difference(times_transposed(a, tb), expected), 1e-12);
    EXPECT_LT(largest_difference(transposed_times(rows_ta, rows_b), expected), 1e-12);
    near(times(rows_a, b)), near(times(rows_a, rows_b)), near(times_transposed(rows_a, rows_tb));
    Matrix gram(k, k);
    add_gram(gram, rows_a);
    const Matrix squares = transposed_times(a, a);
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t i = j; i < k; ++i) EXPECT_NEAR(gram(i, j), squares(i, j), 1e-10);
  }
}

// Columns 3, 70 and 140 depend on earlier ones; column 100 does so but for 1e-5 of its length.
TEST(LinearAlgebra, IndependentColumnsGiveTheMatrix) {
  Matrix a = random_matrix(400, 150);
  for (const std::size_t c : {3, 70, 100, 140})
    for (std::size_t i = 0; i < a.rows; ++i)
      a(i, c) = a(i, c / 2) - 2 * a(i, c - 1) + (c == 100 ? 1e-5 * a(i, 100) : 0);
  const IndependentColumns found = independent_columns(a, 1e-7, 150);
  ASSERT_EQ(found.kept.size(), 147);
  EXPECT_THAT(found.kept, ::testing::Not(::testing::Contains(::testing::AnyOf(3, 70, 140))));
  expect_orthonormal(found.q);
  Matrix kept(a.rows, found.kept.size());
  for (std::size_t i = 0; i < found.kept.size(); ++i)
    std::ranges::copy(a.column(found.kept[i]), kept.column(i).begin());
  EXPECT_LT(largest_difference(times_transposed(found.q, transposed(found.r)), kept), 1e-12);
  EXPECT_EQ(independent_columns(a, 1e-7, 90).kept, std::vector(found.kept.begin(), found.kept.begin() + 90));
}

// Läuchli's matrix: a row of 1 above a diagonal of e, whose columns one pass of Gram-Schmidt leaves far from orthogonal.
TEST(LinearAlgebra, NearlyDependentColumnsBecomeOrthogonal) {
  Matrix a(121, 120);
  for (std::size_t c = 0; c < a.columns; ++c) a(0, c) = 1, a(c + 1, c) = 1e-9;
  const IndependentColumns found = independent_columns(a, 1e-12, 120);
  ASSERT_EQ(found.kept.size(), 120);
  expect_orthonormal(found.q);
  EXPECT_LT(largest_difference(times_transposed(found.q, transposed(found.r)), a), 1e-14);
}

TEST(LinearAlgebra, OpenBlasGivesWhatEigenGives) {
  if (!has_lapack()) GTEST_SKIP() << "OpenBLAS is not installed";
  const Matrix r = random_matrix(50, 50), a = transposed_times(r, r);
  const std::vector<double> eigenvalues = symmetric_eigen(a, 50).values, values = singular_values(r);
  const SymmetricEigen eigen = lapack_symmetric_eigen(a, 50);
  const Svd svd = lapack_singular_values(r, true);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(eigen.values[i], eigenvalues[i], 1e-12 * eigenvalues.back());
    EXPECT_NEAR(svd.values[i], values[i], 1e-12 * values.front());
  }
  expect_decomposed(r, svd);
}

TEST(LinearAlgebra, BitsOfOpenBlasStay) {
  const Matrix r = random_matrix(200, 200);
  EXPECT_EQ(singular_values(r), singular_values(r));
}

}  // namespace leeway::linear_algebra_test
