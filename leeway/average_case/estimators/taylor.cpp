// The model linearized at the input (Han et al. 2024, definition 2): with g_i and its gradient at x,
//   taylor      Phi_R(z / sigma)                      the normal distribution function in k - 1 dimensions
//   taylor-mvs  1 / (1 + sum_i exp(-z_i / sigma))     (section 3.2.3)
// Gradients do not depend on sigma, so one pass serves all sigmas.
#include "leeway/average_case/detail/evidence.h"

namespace leeway::average_case {

Estimator taylor() {
  return {{"taylor", "probability under the model linearized at the input", "Han et al. 2024, definition 2"},
          /*probability=*/true,
          /*gradients=*/true,
          /*model=*/false,
          [](Evidence& evidence, std::size_t, Column& column) {
            from_boundaries(evidence, evidence.at_input(), false, column);
          }};
}

Estimator taylor_mvs() {
  return {{"taylor-mvs", "multivariate sigmoid of the model linearized at the input: a score for ranking",
           "Han et al. 2024, section 3.2.3"},
          /*probability=*/false,
          /*gradients=*/true,
          /*model=*/false,
          [](Evidence& evidence, std::size_t, Column& column) {
            from_boundaries(evidence, evidence.at_input(), true, column);
          }};
}

}  // namespace leeway::average_case
