#include "leeway/agreement/detail/fidelity.h"

namespace leeway::agreement {

Agreement with_fidelity(Agreement result, const Facts& facts, bool labelled, double level) {
  const auto n = static_cast<double>(result.n);
  result.afr_pred = static_cast<double>(facts.same_prediction) / n;
  result.afr_pred_interval = clopper_pearson(facts.same_prediction, result.n, level);
  if (!labelled) return result;
  result.afr_true = static_cast<double>(facts.right) / n;
  result.afr_true_interval = clopper_pearson(facts.right, result.n, level);
  result.attack_success = 1 - *result.afr_true;
  return result;
}

}  // namespace leeway::agreement
