// What leeway shift describe says: the record and the tables.
#pragma once

#include <optional>
#include <string>

#include "leeway/core/result.h"
#include "leeway/shift/describe.h"

namespace leeway::app {

struct Described {
  shift::AttributeTable source;
  std::optional<shift::AttributeTable> target;
  shift::Description description;
  std::optional<shift::AccuracyOfCells>
      accuracy;  // of the target's rows, or the source's where there is none
};

[[nodiscard]] Json describe_json(const Described& described, double level);
[[nodiscard]] std::string describe_text(const Described& described, double level);

}  // namespace leeway::app
