// Summaries as the JSON of docs/assess-record.md.
#pragma once

#include <string>
#include <vector>

#include "leeway/assess/summary.h"
#include "leeway/core/result.h"

namespace leeway::assess {

// One member of "results".
[[nodiscard]] Json to_json(const Summary& summary, const std::vector<std::string>& class_names);

// One member of "comparisons".
[[nodiscard]] Json to_json(const Comparison& comparison);

}  // namespace leeway::assess
