// The results of leeway pa as JSON: docs/schema/pa.json.
#pragma once

#include "apps/leeway/pa_results.h"
#include "leeway/core/result.h"

namespace leeway::app {

[[nodiscard]] Json pa_results_json(const PaResults& results);
[[nodiscard]] Json pa_gaps_json(const PaResults& results);

}  // namespace leeway::app
