// The record of leeway average-case as text for a terminal.
#pragma once

#include <string>

#include "leeway/record/average_case.h"

namespace leeway::app {

[[nodiscard]] std::string average_case_text(const record::AverageCase& record);

}  // namespace leeway::app
