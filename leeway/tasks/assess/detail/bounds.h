// Upper bound (Dis2 on the logits) and estimates of the error on an unlabelled target.
//
// Uses only the source's labels (or the target's in their place: pairing.h) and both sets of logits.
// Estimates use all rows; half of the rows measure the bound, and about 65,536 of the others in each set
// train its critics ("training_source", "training_target"). Assumptions: error_bound/dis2.h, estimator.h.
//
// What the inputs do not permit is left out with the reason. Interrupted on request. Cost for one target: a
// few passes over the held-out rows and a training for each of AssessOptions::restarts critics, and about 5
// us for each row and ten replicates of the estimates' intervals (k = 10, two cores).
//
// The likely error: estimate and likely range by error_bound/estimator.h. Of pairs (row i of the target is row
// i of the source, shifted) with a share c of changed predictions, the error is within c plus or minus the
// source's error s: a changed row that was right is wrong, an unchanged row is as it was. Both are then moved
// into [c - s, c + s]. Its interval is that of the sampling error alone: the bootstrap's if requested, else
// error_bound::sampling_interval. If the outputs did not move beyond the mix of classes
// (error_bound/movement.h), the mix moved if a test of homogeneity says so (p <= .01).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/detail/pairing.h"

namespace leeway::assess {

struct Bounds {
  std::optional<error_bound::Dis2> dis2;
  std::optional<error_bound::Estimates> estimates;
  std::string no_bound, no_estimates;  // why there is none
};

// `source` opens messages; `rows` are those of it that have labels.
[[nodiscard]] Bounds error_bounds(const std::string& source, const LabelledRows& rows, const Outputs& target,
                                  const Task& task, Progress* progress);

// How they are computed and what they assume; nothing where they are left out.
[[nodiscard]] std::optional<tasks::AssessBounds> bounds_of(const tasks::AssessOptions& options);

// From a summary that has no likely error yet and estimates that include `combined`; `source_n`: labeled rows
// of the source.
[[nodiscard]] tasks::LikelyError likely_error(const error_bound::Estimates& estimates,
                                              const tasks::AssessResult& summary, std::size_t source_n,
                                              double level);

}  // namespace leeway::assess
