// DoC, difference of confidences (Guillory et al. 2021):
//   error = 1 - (acc_S + mean confidence on T - mean confidence on S)
#include "leeway/error_bound/estimators/family.h"

namespace leeway::error_bound {

extern const Estimator doc = {
    .name = "doc",
    .summary = "difference of confidences: the source's error and what the mean confidence lost",
    .source = "Guillory et al. 2021",
    .assumes = "accuracy falls by as much as mean confidence does",
    .fails = "confidence falls by less than accuracy, as on most large shifts",
    .transport = false,
    .error =
        [](const Evidence& evidence) {
          const double lost = mean_of(evidence.source.confidence) - mean_of(evidence.target.confidence);
          return 1 - evidence.source_accuracy + lost;
        },
};

}  // namespace leeway::error_bound
