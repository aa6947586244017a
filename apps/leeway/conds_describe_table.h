// The tables that leeway conds describe prints.
#pragma once

#include <string>

#include "leeway/assess/describe_record.h"

namespace leeway::app {

[[nodiscard]] std::string describe_text(const assess::Described& described, double level);

}  // namespace leeway::app
