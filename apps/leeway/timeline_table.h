// Targets over time on the terminal: a line for each measure, and the chunks to look at first, however many there are.
#pragma once

#include <string>

#include "leeway/record/assess.h"

namespace leeway::app {

// Empty without timelines.
[[nodiscard]] std::string timelines_text(const record::Assess& record);

}  // namespace leeway::app
