// A quantity of core/numbers.h in a description: the keys NAME, NAME_low and NAME_high, each null where there is none.
#pragma once

#include <string>
#include <string_view>

#include "leeway/core/numbers.h"
#include "leeway/record/fields.h"

namespace leeway::record {

inline void measured(Fields& f, std::string_view name, Measured& value, Range range,
                     std::string_view meaning) {
  const std::string of(name);
  f(name, value.value, range, meaning);
  f(of + "_low", value.low, range, "lower end of the interval of " + of);
  f(of + "_high", value.high, range, "upper end of the interval of " + of);
}

}  // namespace leeway::record
