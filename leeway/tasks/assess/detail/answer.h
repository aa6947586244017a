// Recommends an error estimate for an unlabelled target, and gives the range around it.
//
// No estimator is right under all shifts, and unlabelled data cannot show how far one is off. They can
// contradict the assumption that divides the families: cot assumes the source's mix of true classes, the
// others do not. So
// 1. a test of homogeneity does not reject the source's mix of predicted classes (p > `moved_p`): cot;
// 2. the mix moved, and another mix of the source's classes explains it: atc-ne, since cot would count it as
// error;
// 3. the mix moved and no mix explains it, since the inputs changed: cot.
// "Explains": let C_ij be the share of the source's rows of label j predicted as i, and q_i the target's
// shares of predictions. The mix w >= 0, sum w = 1, that maximizes sum_i q_i log (C w)_i (Saerens, Latinne
// and Decaestecker 2002, on predicted classes) must leave q within total variation `slack` of C w beyond
// chance, and the mean confidence of the source's labels in that mix must be the target's within `slack`, or
// 2.6 standard errors if more. Both hold under pure label shift.
// Of pairs (row i of the target is row i of the source, shifted) with a share c of changed predictions, the error
// is within c plus or minus the source's error s: a changed row that was right is wrong, an unchanged row is as
// it was. Then `error` is the point of [c - s, c + s] nearest to the estimate, and `low` to `high` is this range
// joined with the sampling interval.
// Evidence (docs/studies/bounds.md), mean error on 60 input shifts: cot .033, atc-ne .087; on 12 class-mix
// shifts: .285, .012. This choice: .030 over all 72, where the best single one of the six has .071.
//
// `error` carries only its sampling error: the bootstrap's interval if requested; else square-and-add of the
// Wilson intervals of the estimate on n_T rows and of the source's error on n_S (a mean of values in [0,1]
// has at most the variance of a share). `low` to `high` covers all estimates, in case 2 only those that do
// not assume the mix of classes. It has no confidence level: of the 72 shifts it held the error, to a point,
// on 69%, 22% lay above; on 8 of another data set 38% and 50%. Only the bound has a guarantee.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/assess.h"
#include "leeway/tasks/assess/detail/predictions.h"

namespace leeway::assess {

inline constexpr double moved_p = .01, slack = .01;

struct AnswerEvidence {
  const error_bound::Estimates& estimates;  // all methods
  const record::AssessDrift& drift;
  std::span<const std::int64_t> labels;  // of the source
  const Predictions &before, &after;     // of source and target
  std::size_t k = 0;
  double level = .95;
  std::optional<double> changed = {};  // of pairs: the share of rows whose prediction changed
};

[[nodiscard]] record::LikelyError likely_error(const AnswerEvidence& evidence);

}  // namespace leeway::assess
