#include "leeway/core/linear_algebra.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numbers>

#include "leeway/core/lapack.h"

namespace leeway {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
template <class T>
using RowsOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Index index(std::size_t n) { return static_cast<Index>(n); }

auto vector(std::span<const double> x) { return Eigen::Map<const VectorXd>(x.data(), index(x.size())); }
auto vector(std::span<const float> x) { return Eigen::Map<const Eigen::VectorXf>(x.data(), index(x.size())); }

template <class T>
auto matrix(const Dense<T>& a) {
  return Eigen::Map<const Eigen::MatrixX<T>>(a.values.data(), index(a.rows), index(a.columns));
}
template <class T>
auto matrix(Dense<T>& a) {
  return Eigen::Map<Eigen::MatrixX<T>>(a.values.data(), index(a.rows), index(a.columns));
}
template <class T>
auto matrix(RowMajor<T> a) {
  return Eigen::Map<const RowsOf<T>>(a.values, index(a.rows), index(a.columns));
}

// The values of an expression in a matrix or vector of ours.
template <class E>
auto dense(const E& expression) {
  using T = typename E::Scalar;
  Dense<T> result(static_cast<std::size_t>(expression.rows()), static_cast<std::size_t>(expression.cols()));
  matrix(result) = expression;
  return result;
}
template <class E>
std::vector<double> list(const E& expression) {
  std::vector<double> result(static_cast<std::size_t>(expression.size()));
  Eigen::Map<VectorXd>(result.data(), expression.size()) = expression;
  return result;
}
template <class E>
std::vector<double> rows(const E& expression) {
  std::vector<double> result(static_cast<std::size_t>(expression.size()));
  Eigen::Map<RowsOf<double>>(result.data(), expression.rows(), expression.cols()) = expression;
  return result;
}

// From here on, opening OpenBLAS costs less than it saves.
bool is_large(const Dense<double>& a) { return std::max(a.rows, a.columns) >= 100 && has_lapack(); }

// The lower triangle of [0 a'; a 0].
MatrixXd around(const Dense<double>& a) {
  MatrixXd both = MatrixXd::Zero(index(a.rows + a.columns), index(a.rows + a.columns));
  both.bottomLeftCorner(index(a.rows), index(a.columns)) = matrix(a);
  return both;
}

std::vector<double> largest(const Eigen::SelfAdjointEigenSolver<MatrixXd>& solver, std::size_t count) {
  return list(solver.eigenvalues().tail(index(count)).reverse().cwiseMax(0));
}

// The columns of a, made orthonormal in order. Those of singular values near 0 may depend on earlier ones: unit vectors replace
// them.
Dense<double> orthonormal(const MatrixXd& a) {
  MatrixXd candidates(a.rows(), a.cols() + a.rows());
  candidates << a, MatrixXd::Identity(a.rows(), a.rows());
  return independent_columns(dense(candidates), 1e-3, static_cast<std::size_t>(a.cols())).q;
}

}  // namespace

double sum(std::span<const double> x) { return vector(x).sum(); }
double dot(std::span<const double> x, std::span<const double> y) { return vector(x).dot(vector(y)); }
double norm(std::span<const double> x) { return vector(x).norm(); }
double max_abs(std::span<const double> x) { return vector(x).lpNorm<Eigen::Infinity>(); }
bool all_finite(std::span<const double> x) { return (vector(x).array() * 0).sum() == 0; }

void add_scaled(std::span<double> to, double factor, std::span<const float> x) {
  Eigen::Map<Eigen::ArrayXd>(to.data(), index(to.size())) += factor * vector(x).array().cast<double>();
}

std::vector<double> times(const Dense<double>& a, std::span<const double> x) {
  return list(matrix(a) * vector(x));
}
std::vector<double> transposed_times(const Dense<double>& a, std::span<const double> x) {
  return list(matrix(a).transpose() * vector(x));
}
Dense<double> transposed_times(const Dense<double>& a, const Dense<double>& b) {
  return dense(matrix(a).transpose() * matrix(b));
}
Dense<double> times_transposed(const Dense<double>& a, const Dense<double>& b) {
  return dense(matrix(a) * matrix(b).transpose());
}
Dense<double> transposed_times(RowMajor<double> a, RowMajor<double> b) {
  return dense(matrix(a).transpose() * matrix(b));
}
std::vector<double> times(RowMajor<double> a, const Dense<double>& b) { return rows(matrix(a) * matrix(b)); }
std::vector<double> times(RowMajor<double> a, RowMajor<double> b) { return rows(matrix(a) * matrix(b)); }
std::vector<double> times(RowMajor<double> a, std::span<const double> x) {
  return list(matrix(a) * vector(x));
}

std::vector<double> gram_of_rows(RowMajor<double> a) {
  std::vector<double> gram(a.rows * a.rows);
  Eigen::Map<RowsOf<double>> to(gram.data(), index(a.rows), index(a.rows));
  to.selfadjointView<Eigen::Lower>().rankUpdate(matrix(a));
  to.triangularView<Eigen::StrictlyUpper>() = to.transpose();
  return gram;
}

void add_gram(Dense<double>& lower, RowMajor<double> a) {
  matrix(lower).selfadjointView<Eigen::Lower>().rankUpdate(matrix(a).transpose());
}

ColumnMoments column_moments(RowMajor<double> a) {
  const VectorXd mean = matrix(a).colwise().mean();
  const VectorXd squares = (matrix(a).rowwise() - mean.transpose()).colwise().squaredNorm();
  return {list(mean), list(squares)};
}

SymmetricEigen symmetric_eigen(const Dense<double>& a) {
  if (is_large(a)) return lapack_symmetric_eigen(a);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix(a));
  return {list(solver.eigenvalues()), dense(solver.eigenvectors())};
}

// A copy costs little beside the decomposition; another solver for rows would compile for 7 s.
SymmetricEigen symmetric_eigen(RowMajor<double> a) {
  Dense<double> lower(a.rows, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = a.values[i * a.rows + j];
  return symmetric_eigen(lower);
}

// Eigen's own singular value decomposition compiles for half a minute. The largest eigenvalues of [0 a'; a 0] are the singular
// values, with eigenvectors (v; u) / sqrt 2.
Svd singular_value_decomposition(const Dense<double>& a) {
  if (is_large(a)) return lapack_singular_values(a, true);
  const std::size_t least = std::min(a.rows, a.columns);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(around(a));
  const MatrixXd both =
      solver.eigenvectors().rightCols(index(least)).rowwise().reverse() * std::numbers::sqrt2;
  return {largest(solver, least), orthonormal(both.bottomRows(index(a.rows))),
          orthonormal(both.topRows(index(a.columns)))};
}

std::vector<double> singular_values(const Dense<double>& a) {
  if (is_large(a)) return lapack_singular_values(a, false).values;
  return largest(Eigen::SelfAdjointEigenSolver<MatrixXd>(around(a), Eigen::EigenvaluesOnly),
                 std::min(a.rows, a.columns));
}

Dense<double> triangular_factor(const Dense<double>& a) {
  const Eigen::HouseholderQR<MatrixXd> qr(matrix(a));
  return dense(MatrixXd(qr.matrixQR().topRows(index(a.columns)).triangularView<Eigen::Upper>()));
}

IndependentColumns independent_columns(const Dense<double>& a, double dependent, std::size_t most) {
  MatrixXd q(index(a.rows), index(most)), r = MatrixXd::Zero(index(most), index(most));
  IndependentColumns found;
  Index rank = 0;
  for (std::size_t c = 0; c < a.columns && rank < index(most); ++c) {
    VectorXd column = vector(a.column(c));
    const double length = column.norm();
    if (length == 0) continue;
    // Gram-Schmidt twice: once leaves a nearly dependent column far from orthogonal.
    VectorXd coefficients = VectorXd::Zero(rank);
    for (int pass = 0; pass < 2; ++pass) {
      const VectorXd along = q.leftCols(rank).transpose() * column;
      column -= q.leftCols(rank) * along;
      coefficients += along;
    }
    const double rest = column.norm();
    if (rest < dependent * length) continue;
    q.col(rank) = column / rest;
    r.col(rank).head(rank) = coefficients;
    r(rank, rank) = rest;
    found.kept.push_back(c);
    ++rank;
  }
  found.q = dense(q.leftCols(rank));
  found.r = dense(r.topLeftCorner(rank, rank));
  return found;
}

Dense<double> solve_upper(const Dense<double>& r, const Dense<double>& b) {
  return dense(matrix(r).triangularView<Eigen::Upper>().solve(matrix(b)));
}

Dense<double> solve_symmetric(const Dense<double>& a, const Dense<double>& b) {
  return dense(matrix(a).selfadjointView<Eigen::Lower>().ldlt().solve(matrix(b)));
}

}  // namespace leeway
