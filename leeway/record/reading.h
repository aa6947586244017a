// How outputs were read, among the options of commands that take them.
#pragma once

#include <optional>
#include <string>

#include "leeway/record/fields.h"

namespace leeway::record {

struct OutputsReading {
  std::optional<std::string> binary, as;  // "logit" or "prob"; "logits" or "probs"
};

void fields(OutputsReading& reading, Fields& f);

}  // namespace leeway::record
