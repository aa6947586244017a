// The record of leeway pa as text for a terminal.
#pragma once

#include <string>

#include "leeway/record/pa.h"

namespace leeway::app {

[[nodiscard]] std::string pa_text(const record::Pa& record);

}  // namespace leeway::app
