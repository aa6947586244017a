#include "leeway/agreement/alignment.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/core/message.h"

namespace leeway::agreement {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rounding = 1e-14;  // of a column's values: what centring leaves of a constant

struct Principal {
  VectorXd direction, scores;  // (d), (n): of the centred rows
  double explained = 0;
};

// Centred columns, standardised where asked for.
MatrixXd centred(const Matrix& features, bool standardize) {
  const auto n = static_cast<Index>(features.rows()), d = static_cast<Index>(features.columns());
  MatrixXd x(n, d);
  for (Index i = 0; i < n; ++i) {
    const std::vector<double> row = features.row(static_cast<std::size_t>(i));
    x.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), d);
  }
  for (Index c = 0; c < d; ++c) {
    const double largest = x.col(c).lpNorm<Eigen::Infinity>();
    x.col(c).array() -= x.col(c).mean();
    x.col(c).array() -= x.col(c).mean();
    if (x.col(c).lpNorm<Eigen::Infinity>() <= rounding * largest) x.col(c).setZero();
    const double length = x.col(c).norm();
    if (standardize && length > 0) x.col(c) *= std::sqrt(static_cast<double>(n)) / length;
  }
  return x;
}

Principal principal_of(const Matrix& features, bool standardize) {
  MatrixXd x = centred(features, standardize);
  const double largest = x.lpNorm<Eigen::Infinity>();
  if (largest == 0)
    refuse(features.name(), fmt::format("{} that vary, for their alignment", features.what()),
           fmt::format("the same in all {} rows", features.rows()));
  x /= largest;  // squares of values near 1e140 stay finite
  const bool wide = x.rows() <= x.cols();
  const MatrixXd gram = wide ? MatrixXd(x * x.transpose()) : MatrixXd(x.transpose() * x);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(gram);
  const VectorXd leading = solver.eigenvectors().col(gram.cols() - 1);
  Principal principal;
  principal.direction = wide ? VectorXd(x.transpose() * leading) : leading;
  principal.direction.normalize();
  Index top = 0;
  principal.direction.cwiseAbs().maxCoeff(&top);
  if (principal.direction[top] < 0) principal.direction = -principal.direction;
  principal.scores = x * principal.direction;
  principal.explained = std::min(1., principal.scores.squaredNorm() / x.squaredNorm());
  return principal;
}

std::vector<double> rescaled(const VectorXd& scores) {
  const double low = scores.minCoeff(), high = scores.maxCoeff();
  std::vector<double> values;
  for (const double score : scores) values.push_back(2 * (score - low) / (high - low) - 1);
  return values;
}

double error_of(std::span<const double> z, std::span<const double> w, std::span<const std::size_t> rows) {
  double sum = 0;
  for (const std::size_t i : rows) sum += (w[i] - z[i]) * (w[i] - z[i]);
  return sum / static_cast<double>(rows.size());
}

// Within classes over all; NaN where there is no variance. `classes`: numbers below `count`.
double class_variance(std::span<const double> z, std::span<const std::size_t> classes, std::size_t count,
                      std::span<const std::size_t> rows) {
  std::vector<double> sums(count), members(count);
  double all = 0, total = 0, within = 0;
  for (const std::size_t i : rows) sums[classes[i]] += z[i], members[classes[i]] += 1, all += z[i];
  all /= static_cast<double>(rows.size());
  for (const std::size_t i : rows) {
    const double own = z[i] - sums[classes[i]] / members[classes[i]];
    within += own * own;
    total += (z[i] - all) * (z[i] - all);
  }
  return within / total;
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = i;
  return rows;
}

PrincipalDirection described(const Principal& principal, std::span<const std::int64_t> labels,
                             const BootstrapOptions& options) {
  PrincipalDirection direction{principal.explained, rescaled(principal.scores), std::nullopt};
  if (labels.empty()) return direction;
  std::map<std::int64_t, std::size_t> numbers;
  for (const std::int64_t label : labels) numbers.try_emplace(label, numbers.size());
  std::vector<std::size_t> classes;
  for (const std::int64_t label : labels) classes.push_back(numbers.at(label));
  const auto share = [&](std::span<const std::size_t> rows) {
    return class_variance(direction.projections, classes, numbers.size(), rows);
  };
  direction.class_variance =
      ClassVariance{share(all_rows(labels.size())), bootstrap(labels.size(), share, options)};
  return direction;
}

}  // namespace

Alignment feature_alignment(const Array& clean, std::string_view clean_name, const Array& shifted,
                            std::string_view shifted_name, std::span<const std::int64_t> labels,
                            const AlignmentOptions& options) {
  const Matrix one(clean, clean_name, "features"), two(shifted, shifted_name, "features");
  require_equal_columns(one, two);
  if (one.rows() != two.rows())
    refuse(shifted_name, fmt::format("{} rows, as in {}", one.rows(), clean_name),
           fmt::format("{}", two.rows()));
  if (one.rows() < 2) refuse(clean_name, "at least 2 rows for the alignment of features", "1");
  if (!labels.empty() && labels.size() != one.rows())
    refuse(clean_name, fmt::format("{} labels", one.rows()), fmt::format("{}", labels.size()));
  const Principal first = principal_of(one, options.standardize);
  Principal second = principal_of(two, options.standardize);
  const double covariance = first.scores.dot(second.scores);
  if (covariance < 0 || (covariance == 0 && first.direction.dot(second.direction) < 0))
    second.direction = -second.direction, second.scores = -second.scores;
  Alignment alignment;
  alignment.clean = described(first, labels, options.bootstrap);
  alignment.shifted = described(second, labels, options.bootstrap);
  const auto error = [&](std::span<const std::size_t> rows) {
    return error_of(alignment.clean.projections, alignment.shifted.projections, rows);
  };
  alignment.cross_domain_error = error(all_rows(one.rows()));
  alignment.cross_domain_error_interval = bootstrap(one.rows(), error, options.bootstrap);
  alignment.correlation =
      std::clamp(std::abs(covariance) / (first.scores.norm() * second.scores.norm()), 0., 1.);
  // 2 atan2(|v' - v''|, |v' + v''|) keeps the digits of small angles, which an arc cosine loses
  const double angle =
      360 / std::numbers::pi *
      std::atan2((first.direction - second.direction).norm(), (first.direction + second.direction).norm());
  alignment.angle = std::min(180., angle);
  return alignment;
}

}  // namespace leeway::agreement
