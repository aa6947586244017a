// The record of leeway bound as text for a terminal.
#pragma once

#include <string>

#include "leeway/record/bound.h"

namespace leeway::app {

[[nodiscard]] std::string bound_text(const record::Bound& record);

}  // namespace leeway::app
