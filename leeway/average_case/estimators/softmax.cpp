// Softmax confidence in the prediction at a given temperature T (Han et al. 2024, section 3.2.3), a baseline
// that does not depend on sigma:
//   1 / (1 + sum_i exp(-g_i / T)) = max softmax(f / T)
#include <cmath>

#include "leeway/average_case/detail/evidence.h"

namespace leeway::average_case {

Estimator softmax() {
  return {{"softmax", "largest softmax of the logits: a score that does not depend on sigma",
           "Han et al. 2024, section 3.2.3"},
          /*probability=*/false,
          /*gradients=*/false,
          /*model=*/false,
          [](Evidence& evidence, std::size_t, Column& column) {
            const double start = now();
            for (std::size_t i = 0; i < evidence.n(); ++i) {
              const auto f = evidence.logits(i);
              const double top = f[static_cast<std::size_t>(evidence.targets()[i])];
              double sum = 0;
              for (const double value : f) sum += std::exp((value - top) / evidence.options().temperature);
              column.p.push_back(1 / sum);
            }
            add_to(column, {now() - start, 0, 0, evidence.bytes()}, evidence.pass_cost());
          }};
}

}  // namespace leeway::average_case
