#include "leeway/core/linear_algebra.h"

#include <Eigen/Dense>
#include <algorithm>
#include <functional>
#include <numbers>
#include <utility>

#include "leeway/core/lapack.h"

namespace leeway {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
template <class T>
using RowsOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t large_product = std::size_t{1} << 26;  // multiplications

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

// The matrix whose columns lie in memory one after the other, and the one whose rows do.
Operand columns_of(const Dense<double>& a) { return {a.values.data(), a.rows, a.columns, false}; }
Operand rows_of(const Dense<double>& a) { return {a.values.data(), a.columns, a.rows, true}; }
Operand columns_of(RowMajor<double> a) { return {a.values, a.columns, a.rows, false}; }
Operand rows_of(RowMajor<double> a) { return {a.values, a.rows, a.columns, true}; }

// c = a b, column after column; one of a and b at most is transposed.
void multiply(const Operand& a, const Operand& b, double* c) {
  if (a.rows * a.columns * b.columns >= large_product && has_lapack()) return lapack_product(a, b, c);
  const auto columns = [](const Operand& x) {
    return Eigen::Map<const MatrixXd>(x.values, index(x.rows), index(x.columns));
  };
  const auto rows = [](const Operand& x) {
    return Eigen::Map<const RowsOf<double>>(x.values, index(x.rows), index(x.columns));
  };
  Eigen::Map<MatrixXd> to(c, index(a.rows), index(b.columns));
  if (a.transposed)
    to.noalias() = rows(a) * columns(b);
  else if (b.transposed)
    to.noalias() = columns(a) * rows(b);
  else
    to.noalias() = columns(a) * columns(b);
}

// From this size on, opening OpenBLAS costs less than it saves.
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

// The columns of a, made orthonormal in order. Unit vectors replace columns that depend on earlier ones, as those of singular
// values near 0 may.
Dense<double> completed(const MatrixXd& a) {
  MatrixXd candidates(a.rows(), a.cols() + a.rows());
  candidates << a, MatrixXd::Identity(a.rows(), a.rows());
  return independent_columns(dense(candidates), 1e-3, static_cast<std::size_t>(a.cols())).q;
}

// Columns of a block, made orthonormal: block[kept] = q_earlier earlier + q r, r upper triangular.
struct Orthonormal {
  std::vector<std::size_t> kept;
  Dense<double> q, earlier, r;
};

// Keeps column c if more than least[c] of it is orthogonal to q_earlier and to the columns before it; `most` columns at most.
Orthonormal orthonormal(const Dense<double>& q_earlier, Dense<double> block, std::span<const double> least,
                        std::size_t most) {
  Dense<double> earlier(q_earlier.columns, block.columns), taken(block.rows, block.columns);
  if (q_earlier.columns > 0) {
    earlier = transposed_times(q_earlier, block);
    multiply(columns_of(q_earlier), columns_of(earlier), taken.values.data());
  }
  Orthonormal found;
  MatrixXd q(index(block.rows), index(block.columns)),
      r = MatrixXd::Zero(index(block.columns), index(block.columns));
  for (std::size_t c = 0; c < block.columns && found.kept.size() < most; ++c) {
    const Index rank = index(found.kept.size());
    VectorXd column = vector(block.column(c)) - vector(taken.column(c));
    r.col(rank).head(rank) = q.leftCols(rank).transpose() * column;
    column -= q.leftCols(rank) * r.col(rank).head(rank);
    r(rank, rank) = column.norm();
    if (r(rank, rank) <= least[c]) continue;
    q.col(rank) = column / r(rank, rank);
    found.kept.push_back(c);
  }
  const Index rank = index(found.kept.size());
  found.q = dense(q.leftCols(rank)), found.r = dense(r.topLeftCorner(rank, rank));
  found.earlier = Dense<double>(earlier.rows, found.kept.size());
  for (std::size_t i = 0; i < found.kept.size(); ++i)
    std::ranges::copy(earlier.column(found.kept[i]), found.earlier.column(i).begin());
  return found;
}

}  // namespace

double sum(std::span<const double> x) { return vector(x).sum(); }
double dot(std::span<const double> x, std::span<const double> y) { return vector(x).dot(vector(y)); }
double norm(std::span<const double> x) { return vector(x).norm(); }
double max_abs(std::span<const double> x) { return vector(x).lpNorm<Eigen::Infinity>(); }
bool all_finite(std::span<const double> x) { return (vector(x).array() * 0).sum() == 0; }
bool all_finite(std::span<const float> x) { return (vector(x).array() * 0).sum() == 0; }

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
  Dense<double> result(a.columns, b.columns);
  multiply(rows_of(a), columns_of(b), result.values.data());
  return result;
}
Dense<double> times_transposed(const Dense<double>& a, const Dense<double>& b) {
  Dense<double> result(a.rows, b.rows);
  multiply(columns_of(a), rows_of(b), result.values.data());
  return result;
}
Dense<double> transposed_times(RowMajor<double> a, RowMajor<double> b) {
  Dense<double> result(a.columns, b.columns);
  multiply(columns_of(a), rows_of(b), result.values.data());
  return result;
}
// Row after row, as the transpose column after column.
std::vector<double> times(RowMajor<double> a, const Dense<double>& b) {
  std::vector<double> result(a.rows * b.columns);
  multiply(rows_of(b), columns_of(a), result.data());
  return result;
}
std::vector<double> times(RowMajor<double> a, RowMajor<double> b) {
  std::vector<double> result(a.rows * b.columns);
  multiply(columns_of(b), columns_of(a), result.data());
  return result;
}
std::vector<double> times_transposed(RowMajor<double> a, RowMajor<double> b) {
  std::vector<double> result(a.rows * b.rows);
  multiply(rows_of(b), columns_of(a), result.data());
  return result;
}
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
  if (a.rows * a.columns * a.columns >= large_product && has_lapack()) {
    const Dense<double> gram = transposed_times(a, a);
    std::ranges::transform(lower.values, gram.values, lower.values.begin(), std::plus<>());
    return;
  }
  matrix(lower).selfadjointView<Eigen::Lower>().rankUpdate(matrix(a).transpose());
}

ColumnMoments column_moments(RowMajor<double> a) {
  const VectorXd mean = matrix(a).colwise().mean();
  const VectorXd squares = (matrix(a).rowwise() - mean.transpose()).colwise().squaredNorm();
  return {list(mean), list(squares)};
}

SymmetricEigen symmetric_eigen(const Dense<double>& a, std::size_t leading) {
  if (is_large(a)) return lapack_symmetric_eigen(a, leading);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix(a));
  return {list(solver.eigenvalues().tail(index(leading))),
          dense(solver.eigenvectors().rightCols(index(leading)))};
}

// A copy costs little beside the decomposition; another solver for rows would compile for 7 s.
SymmetricEigen symmetric_eigen(RowMajor<double> a) {
  Dense<double> lower(a.rows, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = a.values[i * a.rows + j];
  return symmetric_eigen(lower, a.rows);
}

// The largest eigenvalues of [0 a'; a 0] are the singular values of a, with eigenvectors (v; u) / sqrt 2. Eigen's own
// decomposition takes half a minute to compile.
Svd singular_value_decomposition(const Dense<double>& a) {
  if (is_large(a)) return lapack_singular_values(a, true);
  const std::size_t least = std::min(a.rows, a.columns);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(around(a));
  const MatrixXd both =
      solver.eigenvectors().rightCols(index(least)).rowwise().reverse() * std::numbers::sqrt2;
  return {largest(solver, least), completed(both.bottomRows(index(a.rows))),
          completed(both.topRows(index(a.columns)))};
}

std::vector<double> singular_values(const Dense<double>& a) {
  if (is_large(a)) return lapack_singular_values(a, false).values;
  return largest(Eigen::SelfAdjointEigenSolver<MatrixXd>(around(a), Eigen::EigenvaluesOnly),
                 std::min(a.rows, a.columns));
}

Dense<double> triangular_factor(const Dense<double>& a) {
  if (a.rows * a.columns * a.columns >= large_product && has_lapack()) return lapack_triangular_factor(a);
  const Eigen::HouseholderQR<MatrixXd> qr(matrix(a));
  return dense(MatrixXd(qr.matrixQR().topRows(index(a.columns)).triangularView<Eigen::Upper>()));
}

// Block by block: products remove the directions of earlier blocks, Gram-Schmidt those of the same block. Both run twice, because
// once leaves a nearly dependent column far from orthogonal.
IndependentColumns independent_columns(const Dense<double>& a, double dependent, std::size_t most) {
  constexpr std::size_t block_columns = 64;
  IndependentColumns found{{}, Dense<double>(a.rows, 0), Dense<double>(most, most)};
  for (std::size_t begin = 0; begin < a.columns && found.kept.size() < most; begin += block_columns) {
    const std::size_t count = std::min(block_columns, a.columns - begin), rank = found.kept.size();
    Dense<double> block(a.rows, count);
    std::ranges::copy(std::span(a.values).subspan(begin * a.rows, count * a.rows), block.values.begin());
    std::vector<double> least;
    for (std::size_t c = 0; c < count; ++c) least.push_back(dependent * norm(block.column(c)));
    const Orthonormal once = orthonormal(found.q, std::move(block), least, most - rank);
    const Orthonormal twice = orthonormal(found.q, once.q, std::vector<double>(once.kept.size()), most);
    for (const std::size_t c : once.kept) found.kept.push_back(begin + c);
    found.q.values.insert(found.q.values.end(), twice.q.values.begin(), twice.q.values.end());
    found.q.columns = found.kept.size();
    matrix(found.r).block(0, index(rank), index(rank), index(once.kept.size())) =
        matrix(once.earlier) + matrix(twice.earlier) * matrix(once.r);
    matrix(found.r).block(index(rank), index(rank), index(once.kept.size()), index(once.kept.size())) =
        matrix(twice.r) * matrix(once.r);
  }
  found.r = dense(matrix(found.r).topLeftCorner(index(found.q.columns), index(found.q.columns)));
  return found;
}

Dense<double> solve_upper(const Dense<double>& r, const Dense<double>& b) {
  return dense(matrix(r).triangularView<Eigen::Upper>().solve(matrix(b)));
}

Dense<double> solve_symmetric(const Dense<double>& a, const Dense<double>& b) {
  return dense(matrix(a).selfadjointView<Eigen::Lower>().ldlt().solve(matrix(b)));
}

}  // namespace leeway
