// The linear model nearest in mean square to the model under noise (Han et al. 2024, definition 3): f and its
// gradients are averaged over N noisy copies x + e_j, with the target of x:
//   mmse        Phi_R(z / sigma),   g_i = mean_j (f_t - f_i)(x + e_j),   grad g_i likewise
//   mmse-mvs    the multivariate sigmoid of those
// The N draws are centred, e_j - mean e, and scaled by sqrt(N / (N - 1)) to keep the noise's variance: linear
// models get their exact probability for any N > 1, and other models average only the curvature. Independent
// draws, as in the paper, would move z by a normal of deviation 1 / sqrt(N). The Gram matrix is that of the
// averaged gradients (the average of Gram matrices is larger). Each sigma has its own passes (same draws).
#include "leeway/average_case/detail/evidence.h"

namespace leeway::average_case {

Estimator mmse() {
  return {{"mmse", "probability under the best linear approximation of the model over the noise",
           "Han et al. 2024, definition 3"},
          /*probability=*/true,
          /*gradients=*/true,
          /*model=*/true,
          [](Evidence& evidence, std::size_t sigma, Column& column) {
            from_boundaries(evidence, evidence.averaged(sigma), false, column);
          }};
}

Estimator mmse_mvs() {
  return {{"mmse-mvs",
           "multivariate sigmoid of the best linear approximation over the noise: a score for ranking",
           "Han et al. 2024, section 3.2.3"},
          /*probability=*/false,
          /*gradients=*/true,
          /*model=*/true,
          [](Evidence& evidence, std::size_t sigma, Column& column) {
            from_boundaries(evidence, evidence.averaged(sigma), true, column);
          }};
}

}  // namespace leeway::average_case
