// What a reader should know before believing the numbers: complete sentences, none where all is well.
#pragma once

#include <string>
#include <vector>

#include "leeway/tasks/assess/detail/summary.h"

namespace leeway::assess {

inline constexpr std::size_t few_samples = 100;  // of a target
inline constexpr std::size_t few_in_cell = 20;   // of a class or group
inline constexpr double much_saturated = .1;     // share of rows with a confidence above 1 - 1e-6
inline constexpr double many_repeated = .05;     // share of rows that repeat another
inline constexpr double one_class = .95;         // share of predictions in a single class

struct Evidence {
  const Outputs &source, &target;
  const Predictions &before, &after;
  const Summary& summary;  // complete but for its warnings
};
[[nodiscard]] std::vector<std::string> find_warnings(const Evidence& evidence);

}  // namespace leeway::assess
