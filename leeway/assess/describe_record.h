// A description of shifts as JSON: what `leeway conds describe` and the assessment's "shifts" hold.
#pragma once

#include <optional>

#include "leeway/conds/describe.h"
#include "leeway/core/result.h"

namespace leeway::assess {

struct Described {
  AttributeTable source;
  std::optional<AttributeTable> target;
  conds::Description description;
  std::optional<conds::AccuracyOfCells>
      accuracy;  // of the target's rows, or the source's where there is none
};

[[nodiscard]] Json to_json(const Described& described, double level);

}  // namespace leeway::assess
