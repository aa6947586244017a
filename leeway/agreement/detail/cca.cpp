#include "leeway/agreement/detail/cca.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr double dependent = 1e-7;  // of a column's length; cancor's tolerance

// Centred columns = q r, q orthonormal (m, rank), r upper triangular, for the columns kept.
struct Factors {
  IndependentColumns independent;
  std::vector<double> means;  // of all columns
};

Factors factors_of(const Matrix& matrix, std::span<const std::size_t> rows) {
  Dense<double> values = dense(matrix, rows);
  Factors factors;
  for (std::size_t c = 0; c < values.columns; ++c) {
    std::vector<double> column(values.column(c).begin(), values.column(c).end());
    factors.means.push_back(center(column));
    std::ranges::copy(column, values.column(c).begin());
  }
  factors.independent = independent_columns(values, dependent, std::min(values.rows - 1, values.columns));
  if (factors.independent.kept.empty())
    refuse(matrix.name(), fmt::format("{} that vary between rows, for canonical correlation", matrix.what()),
           fmt::format("the same in all {} rows", rows.size()));
  return factors;
}

CanonicalSide side_of(const Factors& factors, const Dense<double>& directions) {
  const Dense<double> coefficients = solve_upper(factors.independent.r, directions);
  CanonicalSide side{factors.independent.kept, factors.means, {}};
  for (std::size_t i = 0; i < coefficients.rows; ++i)
    for (std::size_t j = 0; j < coefficients.columns; ++j) side.coefficients.push_back(coefficients(i, j));
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
  const Svd svd = singular_value_decomposition(transposed_times(fx.independent.q, fy.independent.q));
  CanonicalCorrelations result;
  for (const double s : svd.values) result.correlations.push_back(std::min(1., s));
  result.x = side_of(fx, svd.u);
  result.y = side_of(fy, svd.v);
  return result;
}

}  // namespace leeway::agreement
