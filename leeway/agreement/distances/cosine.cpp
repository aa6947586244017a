// (1/n) sum_i 1 - cos(u_i, v_i), features u and v of the same sample (Jiménez Rodríguez 2024, section 4.2.2).
// A zero row is at distance 0 from another zero row and 1 from anything else.
#include <algorithm>
#include <cmath>

#include "leeway/agreement/distances/detail/family.h"

namespace leeway::agreement {
namespace {

// To length 1, where it has one; false for zeros. Scaled by the largest entry: squares overflow at 1e154.
bool normalize(std::span<double> row) {
  double top = 0, squares = 0;
  for (const double x : row) top = std::max(top, std::abs(x));
  if (top == 0) return false;
  for (double& x : row) x /= top, squares += x * x;
  for (double& x : row) x /= std::sqrt(squares);
  return true;
}

double row_cosine_distance(std::span<double> u, std::span<double> v) {
  const bool has_u = normalize(u), has_v = normalize(v);
  if (!has_u || !has_v) return has_u == has_v ? 0 : 1;
  double squares = 0;  // 1 - cos = |u - v|^2 / 2 for unit vectors, which keeps the digits of small angles
  for (std::size_t c = 0; c < u.size(); ++c) squares += (u[c] - v[c]) * (u[c] - v[c]);
  return squares / 2;
}

}  // namespace

Distance cosine() {
  return {{"cosine", "mean cosine distance between clean and shifted features, in [0,2]",
           "Jiménez Rodríguez 2024, section 4.2.2"},
          Compared::features,
          /*paired=*/true,
          [](const MatrixPair& sets, Progress*) { return mean_over_rows(sets, row_cosine_distance); }};
}

}  // namespace leeway::agreement
