#include "leeway/agreement/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"

namespace leeway::agreement {
namespace {

struct Principal {
  std::vector<double> direction, scores;  // (d), (n): of the centred rows
  double explained = 0;
};

// Centred columns, standardised where asked for.
Dense<double> centred(const Matrix& features, bool standardize) {
  Dense<double> x = dense(features);
  const auto n = static_cast<double>(x.rows);
  for (std::size_t c = 0; c < x.columns; ++c) {
    const std::span<double> column = x.column(c);
    center(column);
    const double length = norm(column);
    const double factor = standardize && length > 0 ? std::sqrt(n) / length : 1;
    for (double& value : column) value *= factor;
  }
  return x;
}

std::vector<double> difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> result(a.size());
  std::ranges::transform(a, b, result.begin(), std::minus<>{});
  return result;
}

std::vector<double> negative(std::span<const double> a) {
  std::vector<double> result(a.size());
  std::ranges::transform(a, result.begin(), std::negate<>{});
  return result;
}

Principal principal_of(const Matrix& features, bool standardize) {
  Dense<double> x = centred(features, standardize);
  const double largest = max_abs(x.values);
  if (largest == 0)
    refuse(features.name(), fmt::format("{} that vary between rows", features.what()),
           fmt::format("the same in all {} rows", features.rows()));
  for (double& value : x.values) value /= largest;  // squares of values near 1e140 stay finite
  const bool wide = x.rows <= x.columns;
  const SymmetricEigen eigen = symmetric_eigen(wide ? times_transposed(x, x) : transposed_times(x, x), 1);
  const std::span<const double> leading = eigen.vectors.column(0);
  Principal principal;
  principal.direction =
      wide ? transposed_times(x, leading) : std::vector<double>(leading.begin(), leading.end());
  const double length = norm(principal.direction);
  if (length > 0)
    for (double& value : principal.direction) value /= length;
  const double top = *std::ranges::max_element(principal.direction, {}, [](double v) { return std::abs(v); });
  if (top < 0) principal.direction = negative(principal.direction);
  principal.scores = times(x, principal.direction);
  principal.explained = std::min(1., dot(principal.scores, principal.scores) / dot(x.values, x.values));
  return principal;
}

std::vector<double> rescaled(std::span<const double> scores) {
  const auto [low, high] = std::ranges::minmax(scores);
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
      Estimate{share(all_rows(labels.size())), bootstrap(labels.size(), share, options)};
  return direction;
}

}  // namespace

Alignment feature_alignment(const Array& clean, std::string_view clean_name, const Array& shifted,
                            std::string_view shifted_name, std::span<const std::int64_t> labels,
                            const AlignmentOptions& options) {
  const Matrix one(clean, clean_name, "features"), two(shifted, shifted_name, "features");
  require_equal_columns(one, two);
  if (one.rows() != two.rows())
    refuse(shifted_name, fmt::format("{} rows, as in {}", one.rows(), clean_name), two.rows());
  if (one.rows() < 2) refuse(clean_name, "at least 2 rows for the alignment of features", "1");
  if (!labels.empty() && labels.size() != one.rows())
    refuse(clean_name, fmt::format("{} labels", one.rows()), labels.size());
  const Principal first = principal_of(one, options.standardize);
  Principal second = principal_of(two, options.standardize);
  const double covariance = dot(first.scores, second.scores);
  if (covariance < 0 || (covariance == 0 && dot(first.direction, second.direction) < 0))
    second = {negative(second.direction), negative(second.scores), second.explained};
  Alignment alignment;
  alignment.clean = described(first, labels, options.bootstrap);
  alignment.shifted = described(second, labels, options.bootstrap);
  const auto error = [&](std::span<const std::size_t> rows) {
    return error_of(alignment.clean.projections, alignment.shifted.projections, rows);
  };
  alignment.cross_domain_error = error(all_rows(one.rows()));
  alignment.cross_domain_error_interval = bootstrap(one.rows(), error, options.bootstrap);
  alignment.correlation =
      std::clamp(std::abs(covariance) / (norm(first.scores) * norm(second.scores)), 0., 1.);
  // 2 atan2(|v' - v''|, |v' + v''|) keeps the digits of small angles, which an arc cosine loses
  const double angle = 360 / std::numbers::pi *
                       std::atan2(norm(difference(first.direction, second.direction)),
                                  norm(difference(first.direction, negative(second.direction))));
  alignment.angle = std::min(180., angle);
  return alignment;
}

}  // namespace leeway::agreement
