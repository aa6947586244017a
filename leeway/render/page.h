// A view as one self-contained HTML page: charts (Vega 5), style and pictures are inside.
//
// Deterministic: no clock, no randomness. All text is escaped. A dash says why a value is missing.
#pragma once

#include <string>

#include "leeway/describe/view.h"

namespace leeway::render {

[[nodiscard]] std::string page(const View& view);

}  // namespace leeway::render
