// |m' - m''|^2 + tr(C' + C'' - 2 (C' C'')^(1/2)), m the mean and C the covariance (n-1) of the features.
//
// The squared Frechet (Wasserstein-2) distance of two normal distributions (Dowson and Landau 1982; Heusel et
// al., NeurIPS 2017; Jiménez Rodríguez 2024, section 4.2.2). One row has covariance 0.
//
// With C = R^T R, tr (C' C'')^(1/2) is the sum of the singular values of R' R''^T. No matrix is squared and
// no root taken of an eigenvalue that is rounding, so covariances without full rank (n <= d, constant
// columns) cost no digits: roots of eigenvalues of C' C'' would be wrong by 1e-8.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "leeway/agreement/distances/detail/family.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// At most d rows with the same R^T R.
MatrixXd triangle_of(MatrixXd rows) {
  if (rows.rows() <= rows.cols()) return rows;
  const Index d = rows.cols();
  const Eigen::HouseholderQR<MatrixXd> qr(rows);
  return qr.matrixQR().topRows(d).triangularView<Eigen::Upper>();
}

MatrixXd joined(const MatrixXd& above, const MatrixXd& below) {
  MatrixXd both(above.rows() + below.rows(), above.cols());
  both << above, below;
  return triangle_of(std::move(both));
}

// R with R^T R = covariance.
MatrixXd factor(const Matrix& x, const std::vector<double>& means) {
  const std::size_t d = x.columns();
  const auto centred = [&](std::size_t begin, std::size_t end) {
    MatrixXd rows(static_cast<Index>(end - begin), static_cast<Index>(d));
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<double> row = x.row(i);
      for (std::size_t c = 0; c < d; ++c)
        rows(static_cast<Index>(i - begin), static_cast<Index>(c)) = row[c] - means[c];
    }
    return triangle_of(std::move(rows));
  };
  const std::size_t chunk = std::max<std::size_t>(512, 4 * d);  // so that joining costs less than the chunks
  return reduce_chunks<MatrixXd>(x.rows(), chunk, centred, joined) /
         std::sqrt(static_cast<double>(std::max<std::size_t>(2, x.rows()) - 1));
}

double compute(const MatrixPair& sets, Progress*) {
  const auto& [x, y] = sets;
  const std::vector<double> x_means = column_means(x), y_means = column_means(y);
  double between = 0;
  for (std::size_t c = 0; c < x_means.size(); ++c)
    between += (x_means[c] - y_means[c]) * (x_means[c] - y_means[c]);
  const MatrixXd r = factor(x, x_means), s = factor(y, y_means);
  const double shared = Eigen::BDCSVD<MatrixXd>(r * s.transpose()).singularValues().sum();
  return between + std::max(0., r.squaredNorm() + s.squaredNorm() - 2 * shared);
}

}  // namespace

Distance frechet() {
  return {{"frechet", "Frechet distance of the features, as if both sets were normally distributed",
           "Dowson and Landau 1982; Heusel et al., NeurIPS 2017"},
          Compared::features,
          /*paired=*/false,
          compute};
}

}  // namespace leeway::agreement
