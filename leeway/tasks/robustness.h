// What the p of many samples say together, as records hold it. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/record/average_case.h"

namespace leeway::tasks {

// Everything but convergence and stochastic. `labels` of every row, or none; `class_names` empty or k.
[[nodiscard]] record::Robustness robustness_of(const average_case::AverageCase& cases, std::size_t k,
                                               const std::optional<std::vector<std::int64_t>>& labels,
                                               const std::vector<std::string>& class_names,
                                               const record::AverageCaseOptions& options, std::uint64_t seed);

}  // namespace leeway::tasks
