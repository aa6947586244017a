// Posterior agreement of two sets of logits, four samples and three classes, written down by hand.
#include <fmt/core.h>

#include <vector>

#include "leeway/agreement/agreement.h"

int main() {
  // The shifted network keeps its mind on three samples and changes it on the last.
  const auto clean = leeway::make_array({4, 3}, std::vector<double>{4, 1, 0, 0, 3, 1, 1, 0, 5, 2, 1, 0});
  const auto shifted = leeway::make_array({4, 3}, std::vector<double>{3, 1, 1, 0, 2, 1, 1, 1, 2, 0, 1, 2});

  const auto result = leeway::agreement::posterior_agreement(clean, shifted);
  fmt::print("PA {:.6f} of at most log k, {:.1f}% of it\n", result.pa, 100 * result.pa_normalized);
  fmt::print("inverse temperature {:.4f}, certified to {:.0e}: {}\n", result.beta, 1e-9, result.gap <= 1e-9);
  fmt::print("same prediction on {:.0f}%, 95% interval {:.0f}% to {:.0f}%\n", 100 * result.afr_pred,
             100 * result.afr_pred_interval.low, 100 * result.afr_pred_interval.high);
  for (const double a : leeway::agreement::agreement_per_row(clean, shifted, result.beta))
    fmt::print("agreement of the pair {:8.4f}\n", a);
}
