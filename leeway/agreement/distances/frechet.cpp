// |m' - m''|^2 + tr(C' + C'' - 2 (C' C'')^(1/2)), m the mean and C the covariance (n-1) of the features.
//
// The squared Frechet (Wasserstein-2) distance of two normal distributions (Dowson and Landau 1982; Heusel et
// al., NeurIPS 2017; Jiménez Rodríguez 2024, section 4.2.2). One row has covariance 0. With C = R^T R, tr (C'
// C'')^(1/2) is the sum of the singular values of R' R''^T. This keeps all digits for rank-deficient
// covariances (n <= d, constant columns), where roots of the eigenvalues of C' C'' would be wrong by 1e-8.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leeway/agreement/distances/detail/family.h"
#include "leeway/core/linear_algebra.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

// At most d rows with the same R^T R.
Dense<double> triangle_of(Dense<double> rows) {
  if (rows.rows <= rows.columns) return rows;
  return triangular_factor(rows);
}

Dense<double> joined(const Dense<double>& above, const Dense<double>& below) {
  Dense<double> both(above.rows + below.rows, above.columns);
  for (std::size_t c = 0; c < both.columns; ++c) {
    std::ranges::copy(above.column(c), both.column(c).begin());
    std::ranges::copy(below.column(c), both.column(c).subspan(above.rows).begin());
  }
  return triangle_of(std::move(both));
}

// Rows begin to end - 1, row after row, less the means.
std::vector<double> centred_rows(const Matrix& x, const std::vector<double>& means, std::size_t begin,
                                 std::size_t end) {
  const std::size_t d = x.columns();
  std::vector<double> rows((end - begin) * d);
  parallel_chunks(end - begin, 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::span<double> row = std::span(rows).subspan(i * d, d);
      x.copy_row(begin + i, row);
      for (std::size_t c = 0; c < d; ++c) row[c] -= means[c];
    }
  });
  return rows;
}

// R by Cholesky, where the covariance is so far from singular that the distance keeps ten digits: an error E of the covariance
// changes tr (C' C'')^(1/2) by tr (T E) / 2, T the transport map between the normal distributions, and |T| grows with the root
// of the condition number.
std::optional<Dense<double>> factor_of_covariance(const Matrix& x, const std::vector<double>& means) {
  constexpr double most_condition = 1e10;
  constexpr std::size_t chunk = 4096, many_columns = 200;  // fewer: reflections are quick enough
  const std::size_t n = x.rows(), d = x.columns();
  if (n <= d || d < many_columns) return std::nullopt;
  Dense<double> lower(d, d);
  for (std::size_t begin = 0; begin < n; begin += chunk) {
    const std::size_t end = std::min(n, begin + chunk);
    add_gram(lower, {centred_rows(x, means, begin, end).data(), end - begin, d});
  }
  return factor_of_gram(lower, most_condition);
}

// R with R^T R = (n - 1) covariance, by Householder reflections.
Dense<double> factor_of_rows(const Matrix& x, const std::vector<double>& means) {
  const std::size_t d = x.columns();
  const auto centred = [&](std::size_t begin, std::size_t end) {
    const std::vector<double> values = centred_rows(x, means, begin, end);
    Dense<double> rows(end - begin, d);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t c = 0; c < d; ++c) rows(i, c) = values[i * d + c];
    return triangle_of(std::move(rows));
  };
  const std::size_t chunk = std::max<std::size_t>(512, 8 * d);  // so that joining costs less than the chunks
  return reduce_chunks<Dense<double>>(x.rows(), chunk, centred, joined);
}

// R with R^T R = covariance.
Dense<double> factor(const Matrix& x, const std::vector<double>& means) {
  Dense<double> r;
  if (std::optional<Dense<double>> quick = factor_of_covariance(x, means))
    r = std::move(*quick);
  else
    r = factor_of_rows(x, means);
  const double scale = std::sqrt(static_cast<double>(std::max<std::size_t>(2, x.rows()) - 1));
  for (double& value : r.values) value /= scale;
  return r;
}

double frechet_distance(const MatrixPair& sets, Progress*) {
  const auto& [x, y] = sets;
  const std::vector<double> x_means = column_means(x), y_means = column_means(y);
  double between = 0;
  for (std::size_t c = 0; c < x_means.size(); ++c)
    between += (x_means[c] - y_means[c]) * (x_means[c] - y_means[c]);
  const Dense<double> r = factor(x, x_means), s = factor(y, y_means);
  const double shared = sum(singular_values(times_transposed(r, s)));
  return between + std::max(0., dot(r.values, r.values) + dot(s.values, s.values) - 2 * shared);
}

}  // namespace

Distance frechet() {
  return {{"frechet", "Frechet distance between the features, as if both sets were normally distributed",
           "Dowson and Landau 1982; Heusel et al., NeurIPS 2017"},
          Compared::features,
          /*paired=*/false,
          frechet_distance};
}

}  // namespace leeway::agreement
