// The answer without labels: an estimate of the error and the range it likely lies in, from all that the outputs show.
//
//   estimate = mean over networks of s(m),   range = [s(m - c (m - l)), s(m + c (h - m))] likewise,
// s the logistic function. Each network has one layer of tanh units and a linear part. It reads the logits of the single
// estimates (ac, doc, atc-conf, cot), of the error on the source and in the fitted mix of classes (movement.h), how well that
// mix explains the target, the distances of margins, the excess of cot beyond its noise, k, the temperature and both
// numbers of rows. It gives m relative to the error in the fitted mix, and the 10% and 90% quantiles l and h. Weights were
// fitted on simulated shifts (docs/studies/answers_fit.py); c makes the range conformal on worlds left out of the fit.
//
// Use it as the answer where nothing is known of the shift. It is measured in docs/studies/answers.md: shifts that change labels
// but not outputs (concept shift, confident mistakes) are invisible to it, as to every estimator.
// `evidence` must hold transport and movement (EvidenceOptions). Errors: none. Deterministic.
#pragma once

#include <string_view>

#include "leeway/core/statistics.h"
#include "leeway/error_bound/evidence.h"

namespace leeway::error_bound {

struct CombinedAnswer {
  double error = 0;
  Interval likely;
};

// How often the likely range held the error, in a sentence.
[[nodiscard]] std::string_view likely_words();

[[nodiscard]] CombinedAnswer combined_answer(const Evidence& evidence);

}  // namespace leeway::error_bound
