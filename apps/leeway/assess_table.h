// The assessment as text for a terminal: the headline, one line a result within 100 columns, the errors that
// are bounded and estimated without labels, predictions under noise where models met it, and why a dash is a dash.
//
// Accuracies and AFR are in percent, posterior agreement in [0, log k]; brackets hold the interval. Figures
// are aligned to the right; long names are cut in their middle. The model's column is left out where there is
// one model only.
#pragma once

#include <string>

#include "leeway/record/assess.h"

namespace leeway::app {

[[nodiscard]] std::string assess_text(const record::Assess& record);

}  // namespace leeway::app
