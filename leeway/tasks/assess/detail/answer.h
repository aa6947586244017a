// Which of the estimates of the error to read where the target has no labels, and the range about it.
//
// No estimator is right under all shifts, and no data without labels says how far one is off. What they do say is whether the
// assumption that divides the two families is contradicted: cot takes the target to have the source's mix of true classes,
// the others do not. So
// 1. the mix of predicted classes is the source's, for all that a test of homogeneity sees (p > `moved_p`): cot;
// 2. it moved, and the source's classes in another mix explain that: atc-ne, since cot would count the new mix as error;
// 3. it moved and no mix explains it, since the inputs themselves changed: cot.
// "Explain": with C_ij the share of the source's rows of label j that are predicted as i, and q_i the target's shares of
// predictions, the mix w >= 0, sum w = 1, that maximises sum_i q_i log (C w)_i (Saerens, Latinne and Decaestecker 2002, on predicted
// classes), leaves q a total variation of at most `slack` from C w beyond chance, and the mean confidence of the source's labels in that
// mix is the target's to `slack`, or to 2.6 standard errors if these are more. Where the mix of labels alone moves both hold.
// The evidence for the preferences: docs/studies/bounds.md. On 60 shifts of inputs cot is .033 off on average, atc-ne .087; on 12 of
// the mix of classes .285 and .012. Chosen so, .030 over the 72, where the best of the six alone is .071 off.
//
// `error` carries its sampling error alone: the bootstrap's interval where one was asked for; else square-and-add of the
// Wilson intervals of the estimate on n_T rows and of the source's error on n_S (a mean of values in [0,1] has at most the variance
// of a share of that mean). What the shift does to the assumption is in no interval: hence `low` to `high`, over all
// estimates, in case 2 over those that do not take the mix of classes for granted. It is no interval of any level: of the
// study's 72 shifts it held the error, to a point, on 69%, 22% lay above it; on 8 of another data set 38% and 50%. The
// bound is what holds.
#pragma once

#include <cstdint>
#include <span>

#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/assess/inputs.h"

namespace leeway::assess {

inline constexpr double moved_p = .01, slack = .01;

struct AnswerEvidence {
  const error_bound::Estimates& estimates;  // all methods
  const record::AssessDrift& drift;
  std::span<const std::int64_t> labels;  // of the source
  const Predictions &before, &after;     // of source and target
  std::size_t k = 0;
  double level = .95;
};

// What sampling may do to an estimate on n rows.
[[nodiscard]] Interval sampling_interval(double error, std::size_t n, double source_error,
                                         std::size_t source_n, double level);

[[nodiscard]] record::LikelyError likely_error(const AnswerEvidence& evidence);

}  // namespace leeway::assess
