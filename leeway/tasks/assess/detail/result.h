// Summaries as members of the record.
#pragma once

#include "leeway/record/assess.h"
#include "leeway/tasks/assess/detail/summary.h"

namespace leeway::assess {

[[nodiscard]] record::AssessResult result_of(const Summary& summary);
[[nodiscard]] record::AssessComparison comparison_of(const Comparison& comparison);

}  // namespace leeway::assess
