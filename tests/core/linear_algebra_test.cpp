#include "leeway/core/linear_algebra.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

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
    const auto [values, vectors] = symmetric_eigen(a);
    EXPECT_TRUE(std::ranges::is_sorted(values));
    EXPECT_LT(largest_difference(times_transposed(scaled(vectors, values), vectors), a),
              1e-12 * values.back());
    expect_orthonormal(vectors);
  }
}

TEST(LinearAlgebra, OpenBlasGivesWhatEigenGives) {
  if (!has_lapack()) GTEST_SKIP() << "OpenBLAS is not installed";
  const Matrix r = random_matrix(50, 50), a = transposed_times(r, r);
  const std::vector<double> eigenvalues = symmetric_eigen(a).values, values = singular_values(r);
  const SymmetricEigen eigen = lapack_symmetric_eigen(a);
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
