// max_c |mean_i u_ic - mean_i v_ic|: the l_inf distance of the centroids (Jiménez Rodríguez 2024, section 4.2.2).
#include <algorithm>
#include <cmath>

#include "leeway/agreement/distances/family.h"

namespace leeway::agreement {
namespace {

double compute(const Sample& clean, const Sample& shifted, Progress*) {
  const MatrixPair features = matrices_of(centroid(), clean, shifted);
  const std::vector<double> u = column_means(features.clean), v = column_means(features.shifted);
  double largest = 0;
  for (std::size_t c = 0; c < u.size(); ++c) largest = std::max(largest, std::abs(u[c] - v[c]));
  return largest;
}

}  // namespace

Distance centroid() {
  return {.name = "centroid",
          .summary = "largest difference between the mean features of the two sets",
          .compares = Compared::features,
          .paired = false,
          .compute = compute};
}

}  // namespace leeway::agreement
