// COT, confidence optimal transport (Lu et al. 2023), m_j the share of label j in the source:
//   cost = min over transports x of sum_ij x_ij (1 - p_ij),   sum_j x_ij = 1/n_T,  sum_i x_ij = m_j
//   cot-published: error = cost
//   cot-corrected: error = cost + mean confidence on S - acc_S
//   cot: error = doc + w (excess - e),   excess = cost - (1 - mean confidence on T)
// doc is the difference of confidences. The excess is the cost of the class shares beyond confidence; e is its mean if
// nothing moved and s its standard deviation (movement.h). Finite samples differ in their class shares, which
// cot-published counts as error. w rises smoothly from 0 at e + 2 s to 1 at e + 4 s.
#include <algorithm>

#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {
namespace {

constexpr std::string_view paper = "Lu et al. 2023";
constexpr std::string_view confident_mistakes =
    "the classifier makes confident mistakes that leave the predicted class frequencies unchanged";

// 0 up to two deviations, 1 from four.
double share_beyond_noise(double excess, double deviation) {
  if (!(deviation > 0)) return excess > 0 ? 1 : 0;
  const double u = std::clamp(excess / deviation / 2 - 1, 0., 1.);
  return u * u * (3 - 2 * u);
}

}  // namespace

Estimator cot() {
  return {{"cot",
           "confidence optimal transport: doc plus the cost, beyond sampling noise, of moving the target's "
           "softmax to the source's label frequencies",
           paper},
          "the target has the source's label frequencies and its softmax is as calibrated as the source's",
          confident_mistakes,
          /*transport=*/true,
          /*movement=*/false,
          [](const Evidence& evidence) {
            const double confidence = evidence.target_confidence,
                         doc = 1 - evidence.source_accuracy + evidence.source_confidence - confidence,
                         beyond = evidence.transport_cost - (1 - confidence) - evidence.self.excess;
            return doc + beyond * share_beyond_noise(beyond, evidence.self.deviation);
          }};
}

Estimator cot_published() {
  return {{"cot-published", "cot as published: the whole cost, including sampling noise", paper},
          "the assumption of cot holds, and both sets are large",
          confident_mistakes,
          /*transport=*/true,
          /*movement=*/false,
          [](const Evidence& evidence) { return evidence.transport_cost; }};
}

Estimator cot_corrected() {
  return {{"cot-corrected",
           "cot-published plus the overconfidence on the source (mean confidence - accuracy)", paper},
          "the target has the source's label frequencies, its softmax is as overconfident as the source's, "
          "and both sets are large",
          confident_mistakes,
          /*transport=*/true,
          /*movement=*/false,
          [](const Evidence& evidence) {
            return evidence.transport_cost + evidence.source_confidence - evidence.source_accuracy;
          }};
}

}  // namespace leeway::error_bound
