// What can be said of the error on a target without labels: an upper bound (Dis2 on the logits) and estimates.
//
// The source's labels and both sets of logits are all that is looked at; labels of the target change nothing,
// unless the two are asserted to be paired and the source has none of its own (pairing.h). Estimates use all
// rows; half of the rows measure the bound, and of the others at most 65,536 or so of each set train its critics
// ("training_source", "training_target"). What is assumed, and when it fails: leeway/error_bound/dis2.h,
// estimator.h.
//
// Nothing that the inputs do not permit is an error here: it is left out with the reason. Interrupted on
// request. Cost of one target: a few passes over the held-out rows for each critic, of which AssessOptions::restarts
// says the number, their training, which stops growing at the limit above, and about 5 us for each row and ten
// replicates of the estimates' intervals (k = 10, two cores).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/assess/inputs.h"

namespace leeway::assess {

struct Bounds {
  std::optional<error_bound::Dis2> dis2;
  std::optional<error_bound::Estimates> estimates;
  std::string no_bound, no_estimates;  // why there is none
};

// `labels` are those of the source's rows; empty where there are none.
[[nodiscard]] Bounds error_bounds(const Outputs& source, std::span<const std::int64_t> labels,
                                  const Outputs& target, const Task& task, Progress* progress);

// How they are computed and what they assume; nothing where they are left out.
[[nodiscard]] std::optional<record::AssessBounds> bounds_of(const record::AssessOptions& options);

}  // namespace leeway::assess
