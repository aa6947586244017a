#include "leeway/agreement/detail/cca.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double dependent = 1e-7;  // of a column's length; cancor's tolerance
constexpr double rounding = 1e-14;  // of a column's values: what centring leaves of a constant

// Centred columns = q r, q orthonormal (m, rank), r upper triangular, for the columns kept.
struct Factors {
  std::vector<std::size_t> columns;
  std::vector<double> means;
  MatrixXd q, r;
};

// The column without its mean; zeros where it is constant.
VectorXd centred(const VectorXd& column, double& mean) {
  mean = column.mean();
  VectorXd rest = column.array() - mean;
  const double correction = rest.mean();
  mean += correction;
  rest.array() -= correction;
  if (rest.lpNorm<Eigen::Infinity>() <= rounding * column.lpNorm<Eigen::Infinity>()) rest.setZero();
  return rest;
}

Factors factors_of(const Matrix& matrix, std::span<const std::size_t> rows) {
  const auto m = static_cast<Index>(rows.size()), d = static_cast<Index>(matrix.columns());
  MatrixXd values(m, d);
  for (Index i = 0; i < m; ++i) {
    const std::vector<double> row = matrix.row(rows[static_cast<std::size_t>(i)]);
    values.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), d);
  }
  const Index most = std::min(m - 1, d);
  Factors f{{}, std::vector<double>(matrix.columns()), MatrixXd(m, most), MatrixXd::Zero(most, most)};
  Index rank = 0;
  for (Index c = 0; c < d; ++c) {
    VectorXd column = centred(values.col(c), f.means[static_cast<std::size_t>(c)]);
    const double length = column.norm();
    if (length == 0 || rank == most) continue;
    // Gram-Schmidt twice: once leaves a nearly dependent column far from orthogonal.
    VectorXd coefficients = VectorXd::Zero(rank);
    for (int pass = 0; pass < 2; ++pass) {
      const VectorXd along = f.q.leftCols(rank).transpose() * column;
      column -= f.q.leftCols(rank) * along;
      coefficients += along;
    }
    const double rest = column.norm();
    if (rest < dependent * length) continue;
    f.q.col(rank) = column / rest;
    f.r.col(rank).head(rank) = coefficients;
    f.r(rank, rank) = rest;
    f.columns.push_back(static_cast<std::size_t>(c));
    ++rank;
  }
  if (rank == 0)
    refuse(matrix.name(), fmt::format("{} that vary, for canonical correlation", matrix.what()),
           fmt::format("the same in all {} rows", rows.size()));
  f.q.conservativeResize(Eigen::NoChange, rank);
  f.r.conservativeResize(rank, rank);
  return f;
}

CanonicalSide side_of(const Factors& factors, const MatrixXd& directions) {
  const MatrixXd coefficients = factors.r.triangularView<Eigen::Upper>().solve(directions);
  CanonicalSide side{factors.columns, factors.means, {}};
  for (Index i = 0; i < coefficients.rows(); ++i)
    for (Index j = 0; j < coefficients.cols(); ++j) side.coefficients.push_back(coefficients(i, j));
  return side;
}

}  // namespace

Array CanonicalSide::project(const Matrix& matrix) const {
  const std::size_t directions = coefficients.size() / columns.size();
  std::vector<double> variates(matrix.rows() * directions);
  parallel_for(matrix.rows(), [&](std::size_t i) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double x = matrix.at(i, columns[c]) - means[columns[c]];
      for (std::size_t j = 0; j < directions; ++j)
        variates[i * directions + j] += x * coefficients[c * directions + j];
    }
  });
  return make_array<double>({matrix.rows(), directions}, std::move(variates));
}

CanonicalCorrelations canonical_correlations(const Matrix& x, std::span<const std::size_t> x_rows,
                                             const Matrix& y, std::span<const std::size_t> y_rows) {
  if (x_rows.size() != y_rows.size())
    refuse(y.name(), fmt::format("{} rows for canonical correlation, as in {}", x_rows.size(), x.name()),
           fmt::format("{}", y_rows.size()));
  if (x_rows.size() < 2)
    refuse(x.name(), "at least 2 paired rows for canonical correlation", fmt::format("{}", x_rows.size()));
  const Factors fx = factors_of(x, x_rows), fy = factors_of(y, y_rows);
  const Eigen::BDCSVD<MatrixXd> svd(fx.q.transpose() * fy.q, Eigen::ComputeThinU | Eigen::ComputeThinV);
  CanonicalCorrelations result;
  for (const double s : svd.singularValues()) result.correlations.push_back(std::min(1., s));
  result.x = side_of(fx, svd.matrixU());
  result.y = side_of(fy, svd.matrixV());
  return result;
}

}  // namespace leeway::agreement
