#include "leeway/core/linear_algebra.h"

#include <Eigen/Dense>
#include <algorithm>
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

constexpr std::size_t large_product = std::size_t{1} << 24;  // multiplications

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

// Gram-Schmidt by halves: a product takes the directions of the left half from the right half.
class Orthonormal {
 public:
  // Keeps column c if more than least[c] of it is orthogonal to those before it; `most` columns at most.
  Orthonormal(Dense<double> columns, std::vector<double> least, std::size_t most)
      : q_(std::move(columns)), least_(std::move(least)), most_(most), r_(most, q_.columns) {
    run(0, q_.columns);
  }

  [[nodiscard]] IndependentColumns found() && {
    const std::size_t rank = kept_.size();
    q_.values.resize(q_.rows * rank), q_.columns = rank;
    Dense<double> r(rank, rank);
    for (std::size_t i = 0; i < rank; ++i)
      std::ranges::copy(r_.column(kept_[i]).first(rank), r.column(i).begin());
    return {std::move(kept_), std::move(q_), std::move(r)};
  }

 private:
  using Columns = Eigen::Map<MatrixXd>;

  Columns columns(std::size_t begin, std::size_t end) {
    return {q_.values.data() + begin * q_.rows, index(q_.rows), index(end - begin)};
  }

  void run(std::size_t begin, std::size_t end) {
    constexpr std::size_t few = 16;
    if (kept_.size() == most_) return;
    if (end - begin <= few) return run_columns(begin, end);
    const std::size_t middle = begin + (end - begin) / 2, rank = kept_.size();
    run(begin, middle);
    remove(rank, middle, end);
    run(middle, end);
  }

  // The directions from `rank` on are taken from columns begin to end - 1.
  void remove(std::size_t rank, std::size_t begin, std::size_t end) {
    const std::size_t n = q_.rows, count = kept_.size() - rank;
    if (count == 0) return;
    double *directions = q_.values.data() + rank * n, *from = q_.values.data() + begin * n;
    Dense<double> shares(count, end - begin);
    multiply({directions, count, n, true}, {from, n, end - begin, false}, shares.values.data());
    if (n * count * (end - begin) >= large_product && has_lapack())
      lapack_product({directions, n, count, false}, columns_of(shares), from, -1, 1);
    else
      columns(begin, end).noalias() -= columns(rank, rank + count) * matrix(shares);
    matrix(r_).block(index(rank), index(begin), index(count), index(end - begin)) = matrix(shares);
  }

  // A kept column moves to the left, where the directions are.
  void run_columns(std::size_t begin, std::size_t end) {
    const std::size_t first = kept_.size();
    for (std::size_t c = begin; c < end && kept_.size() < most_; ++c) {
      const std::size_t rank = kept_.size();
      VectorXd column = columns(c, c + 1).col(0);
      const VectorXd shares = columns(first, rank).transpose() * column;
      column -= columns(first, rank) * shares;
      matrix(r_).col(index(c)).segment(index(first), index(rank - first)) = shares;
      const double left = column.norm();
      if (left <= least_[c]) continue;
      r_(rank, c) = left;
      columns(rank, rank + 1) = column / left;
      kept_.push_back(c);
    }
  }

  Dense<double> q_;  // the directions found, then unread columns
  std::vector<double> least_;
  std::size_t most_;
  Dense<double> r_;
  std::vector<std::size_t> kept_ = {};
};

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
  if (a.rows * a.columns * a.columns >= large_product && has_lapack()) return lapack_add_gram(lower, a);
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

std::optional<Dense<double>> factor_of_gram(const Dense<double>& lower, double most_condition) {
  if (is_large(lower)) return lapack_factor_of_gram(lower, most_condition);
  const Eigen::LLT<MatrixXd> found(matrix(lower));
  if (found.info() != Eigen::Success || !(found.rcond() * most_condition >= 1)) return std::nullopt;
  return dense(found.matrixU());
}

// A pass leaves nearly dependent columns far from orthogonal. Further ones follow until every column keeps half of its length, which
// makes it orthogonal up to rounding (Parlett, The Symmetric Eigenvalue Problem, section 6.9); mostly the second one is the last.
IndependentColumns independent_columns(const Dense<double>& a, double dependent, std::size_t most) {
  constexpr int most_passes = 4;
  std::vector<double> least;
  for (std::size_t c = 0; c < a.columns; ++c) least.push_back(dependent * norm(a.column(c)));
  IndependentColumns found = Orthonormal(a, std::move(least), most).found();
  const std::size_t rank = found.kept.size();
  double shortest = 0;
  for (int pass = 1; pass < most_passes && shortest < .5; ++pass) {
    IndependentColumns again = Orthonormal(std::move(found.q), std::vector<double>(rank, -1), rank).found();
    shortest = 1;
    for (std::size_t i = 0; i < rank; ++i) shortest = std::min(shortest, again.r(i, i));
    Dense<double> r(rank, rank);
    multiply(columns_of(again.r), columns_of(found.r), r.values.data());
    found.q = std::move(again.q), found.r = std::move(r);
  }
  return found;
}

Dense<double> solve_upper(const Dense<double>& r, const Dense<double>& b) {
  if (r.rows * r.rows * b.columns >= large_product && has_lapack()) return lapack_solve_upper(r, b);
  return dense(matrix(r).triangularView<Eigen::Upper>().solve(matrix(b)));
}

Dense<double> solve_symmetric(const Dense<double>& a, const Dense<double>& b) {
  return dense(matrix(a).selfadjointView<Eigen::Lower>().ldlt().solve(matrix(b)));
}

}  // namespace leeway
