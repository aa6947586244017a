// Summaries as the JSON of docs/assess-record.md.
#pragma once

#include <string>
#include <vector>

#include "leeway/assess/summary.h"
#include "leeway/core/result.h"

namespace leeway::assess {

// "pairing" of a result, here and of pa, distances and select: what shows that rows are pairs.
[[nodiscard]] Json pairing_json(const agreement::PairEvidence& evidence);

// One member of "results".
[[nodiscard]] Json to_json(const Summary& summary, const std::vector<std::string>& class_names);

// One member of "comparisons".
[[nodiscard]] Json to_json(const Comparison& comparison);

}  // namespace leeway::assess
