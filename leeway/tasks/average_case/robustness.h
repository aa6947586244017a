// Summary of p over many samples, as stored in records. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/core/array.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/average_case/average_case.h"

namespace leeway::tasks {

// Everything but convergence and stochastic. `labels` of every row, or none; `class_names` empty or k.
[[nodiscard]] Robustness robustness_of(const average_case::AverageCase& cases, std::size_t k,
                                       const std::optional<std::vector<std::int64_t>>& labels,
                                       const std::vector<std::string>& class_names,
                                       const AverageCaseOptions& options, std::uint64_t seed);

// The first rows of an array; nothing is copied.
[[nodiscard]] inline Array first_rows(Array array, std::size_t rows) {
  if (!array.shape.empty()) array.shape[0] = std::min(array.shape[0], rows);
  return array;
}

inline constexpr std::size_t most_compared = 100;  // classes, or values of a column of groups

// How the leading method's p differs between the values of each column, one comparison a column and sigma. A column may
// have more rows than `cases`; its first are taken. Columns of one value, or of more than most_compared, are left out.
[[nodiscard]] std::vector<GroupComparison> groups_of(const average_case::AverageCase& cases,
                                                     const Robustness& found,
                                                     const std::vector<GroupColumn>& groups);

}  // namespace leeway::tasks
