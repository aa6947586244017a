// AC, average confidence (Guo et al. 2017; Hendrycks and Gimpel 2017):
//   error = 1 - mean over the target of max_j p_ij
#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {

Estimator ac() {
  return {{"ac", "average confidence: 1 - mean calibrated confidence on the target",
           "Guo et al. 2017; Hendrycks and Gimpel 2017"},
          "mean confidence equals accuracy on the target, as it does on the source",
          "the shift makes the classifier overconfident, as most shifts do",
          /*transport=*/false,
          /*movement=*/false,
          [](const Evidence& evidence) { return 1 - evidence.target_confidence; }};
}

}  // namespace leeway::error_bound
