// A description of shifts as JSON: what `leeway shift describe` and the assessment's "shifts" hold.
#pragma once

#include <optional>

#include "leeway/core/result.h"
#include "leeway/shift/describe.h"

namespace leeway::assess {

struct Described {
  shift::AttributeTable source;
  std::optional<shift::AttributeTable> target;
  shift::Description description;
  std::optional<shift::AccuracyOfCells>
      accuracy;  // of the target's rows, or the source's where there is none
};

[[nodiscard]] Json to_json(const Described& described, double level);

}  // namespace leeway::assess
