// What can be said of the error on a target without labels: an upper bound (Dis2 on the logits) and estimates.
//
// The source's labels and both sets of logits are all that is looked at; labels of the target change nothing,
// unless the two are asserted to be paired and the source has none of its own (pairing.h). Estimates use all
// rows; half of the rows measure the bound, and of the others at most 65,536 or so of each set train its critics
// ("training_source", "training_target"). What is assumed, and when it fails: leeway/error_bound/dis2.h,
// estimator.h.
//
// Nothing that the inputs do not permit is an error here: it is left out with the reason. Interrupted on
// request. Cost of one target: a few passes over the held-out rows for each critic, of which Options::bounds says
// the number, their training, which stops growing at the limit above, and about 5 us for each row and ten
// replicates of the estimates' intervals (k = 10, two cores).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "leeway/assess/assess.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/estimator.h"

namespace leeway::assess {

struct Bounds {
  std::optional<error_bound::Dis2> dis2;
  std::optional<error_bound::Estimates> estimates;
  std::string no_bound, no_estimates;  // why there is none
};

// `labels` are those of the source's rows; empty where there are none.
[[nodiscard]] Bounds error_bounds(const Outputs& source, std::span<const std::int64_t> labels,
                                  const Outputs& target, const Options& options, Progress* progress);

// A bound's terms: its source error, discrepancy and concentrations, and the rows behind them.
[[nodiscard]] Json terms_json(const error_bound::Dis2& dis2);

// Puts "error_bound", "error_bound_terms", "estimates", "estimate_intervals" into a result.
void put_bounds(Json& result, const Bounds& bounds);

// The record's "bounds": how they were computed and what they assume; null where Options leave them out.
[[nodiscard]] Json bounds_json(const Options& options);

}  // namespace leeway::assess
