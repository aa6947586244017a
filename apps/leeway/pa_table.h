// The results of leeway pa as text for a terminal.
#pragma once

#include <string>

#include "apps/leeway/pa_results.h"

namespace leeway::app {

[[nodiscard]] std::string pa_text(const PaResults& results);

}  // namespace leeway::app
