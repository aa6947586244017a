// Upper bound (Dis2 on the logits) and estimates of the error on an unlabelled target.
//
// Uses only the source's labels (or the target's in their place: pairing.h) and both sets of logits.
// Estimates use all rows; half of the rows measure the bound, and about 65,536 of the others in each set
// train its critics ("training_source", "training_target"). Assumptions: error_bound/dis2.h, estimator.h.
//
// What the inputs do not permit is left out with the reason. Interrupted on request. Cost for one target: a
// few passes over the held-out rows and a training for each of AssessOptions::restarts critics, and about 5
// us for each row and ten replicates of the estimates' intervals (k = 10, two cores).
#pragma once

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

}  // namespace leeway::assess
