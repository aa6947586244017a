// COT, confidence optimal transport (Lu et al. 2023), m_j the share of label j in the source:
//   error = min over transports x of sum_ij x_ij (1 - p_ij),   sum_j x_ij = 1/n_T,  sum_i x_ij = m_j
// and corrected for the calibration on the source:
//   error = that + mean confidence on S - acc_S
#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {
namespace {

constexpr std::string_view paper = "Lu et al. 2023";

}

Estimator cot() {
  return {{"cot", "confidence optimal transport: from the target's softmax to the source's label frequencies",
           paper},
          "the target has the source's label frequencies and its softmax is as calibrated as the source's",
          "the shift makes confident mistakes that leave the predicted frequencies as they were",
          "inputs changed but the mix of true classes did not",
          /*transport=*/true,
          [](const Evidence& evidence) { return evidence.transport_cost; }};
}

Estimator cot_corrected() {
  return {{"cot-corrected", "cot and what mean confidence exceeds accuracy by on the source", paper},
          "what cot assumes holds, but for as much overconfidence on the target as on the source",
          "the shift makes confident mistakes that leave the predicted frequencies as they were",
          "so, and confidence is off on the source",
          /*transport=*/true,
          [](const Evidence& evidence) {
            return evidence.transport_cost + mean_of(evidence.source.confidence) - evidence.source_accuracy;
          }};
}

}  // namespace leeway::error_bound
