// The results of leeway pa as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "apps/leeway/pa_results.h"

namespace leeway::app {

[[nodiscard]] std::string pa_text(const PaResults& results);

// A line for each set, and each ratio, whose maximum is not proved to the accuracy that was asked for: why the command
// ends with 5.
[[nodiscard]] std::vector<std::string> unproved_maxima(const PaResults& results);

}  // namespace leeway::app
