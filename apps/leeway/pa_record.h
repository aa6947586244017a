// The results of leeway pa as JSON: docs/schema/pa.json.
#pragma once

#include <string>
#include <vector>

#include "apps/leeway/pa_results.h"
#include "leeway/core/result.h"

namespace leeway::app {

// What each shift is called, by its place in every model's sets: what their files have in common, "pgd8" of
// "cnn/pgd8.npz" and "robust-pgd8.npz", or the names of all, "blur / noise".
[[nodiscard]] std::vector<std::string> pa_shift_names(const PaResults& results);

[[nodiscard]] Json pa_results_json(const PaResults& results);
[[nodiscard]] Json pa_gaps_json(const PaResults& results);

}  // namespace leeway::app
