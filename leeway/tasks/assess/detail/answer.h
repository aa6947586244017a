// The answer for an unlabelled target: estimate, likely range, and what the outputs show of the shift.
//
// Estimate and range: error_bound/estimator.h. Of pairs (row i of the target is row i of the source, shifted) with a share c
// of changed predictions, the error is within c plus or minus the source's error s: a changed row that was right is wrong,
// an unchanged row is as it was. Both are then moved into [c - s, c + s].
//
// If the outputs did not move beyond the mix of classes (error_bound/movement.h), the mix of predicted classes moved if a
// test of homogeneity says so (p <= `moved_p`).
//
// `error` carries its sampling error alone: the bootstrap's interval if requested, else error_bound::sampling_interval.
#pragma once

#include <cstddef>

#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

inline constexpr double moved_p = .01;

// From a summary that has no likely error yet and estimates that include `combined`; `source_n`: labeled rows of the source.
[[nodiscard]] tasks::LikelyError likely_error(const error_bound::Estimates& estimates,
                                              const tasks::AssessResult& summary, std::size_t source_n,
                                              double level);

}  // namespace leeway::assess
