// The records of leeway conds as text for a terminal.
#pragma once

#include <string>

#include "leeway/record/conds_describe.h"
#include "leeway/record/conds_draw.h"

namespace leeway::app {

// One case: its cells as rows. Several: a line for each.
[[nodiscard]] std::string conds_draw_text(const record::CondsDraw& record);
[[nodiscard]] std::string conds_describe_text(const record::CondsDescribe& record);

}  // namespace leeway::app
