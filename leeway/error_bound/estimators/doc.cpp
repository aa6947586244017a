// DoC, difference of confidences (Guillory et al. 2021):
//   error = 1 - (acc_S + mean confidence on T - mean confidence on S)
#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {

Estimator doc() {
  return {{"doc", "difference of confidences: source error plus the decrease of the mean confidence",
           "Guillory et al. 2021"},
          "accuracy falls by as much as mean confidence does",
          "confidence falls by less than accuracy, as on most large shifts",
          /*transport=*/false,
          /*movement=*/false,
          [](const Evidence& evidence) {
            const double lost = evidence.source_confidence - evidence.target_confidence;
            return 1 - evidence.source_accuracy + lost;
          }};
}

}  // namespace leeway::error_bound
