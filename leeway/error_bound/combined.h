// The answer without labels: an estimate of the error and the range it likely lies in, from all that the outputs show.
//
//   estimate = mean over networks of s(m),   range = [s(m - c (m - l)), s(m + c (h - m))] likewise,
// s the logistic function. Each network has one layer of tanh units and a linear part. Its inputs: the logits of the single
// estimates (ac, doc, atc-conf, cot), of the source's error and of its error in the fitted mix of classes (movement.h); how
// well that mix explains the target; the distances of margins and the factor between them; the excess of cot beyond its noise;
// k and both numbers of rows. Its outputs: m, relative to the logit of the error in the fitted mix, and the distances to the 10%
// and 90% quantiles l and h. docs/studies/answers_fit.py fitted the weights on simulated shifts. c makes the range conformal
// on families of worlds and classifiers left out of the fit.
//
// Use this when nothing is known of the shift. docs/studies/answers.md measures how often the answer is right: shifts that change
// labels but not outputs (concept shift, confident mistakes) are invisible to the networks, as to every estimator.
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
