// Group columns of numbers, such as age or income, as bins.
//
// A column of numbers has more than `most_categories` different values, or more than `most_fractions` of which one is not
// whole, in the source (without it there, in the target), and nothing but numbers on both sides; empty and nan are
// missing. Bins lie between the quartiles of the source's rows, equal ones counted once: "up to 34", "above 34 to 52",
// "above 52", "missing". The numbers themselves stay beside them, for drift. Errors: none. Cost: a sort of the levels.
#pragma once

#include <cstddef>
#include <optional>

#include "leeway/tasks/assess.h"

namespace leeway::assess {

inline constexpr std::size_t most_categories = 30, most_fractions = 10, number_bins = 4;

// The task with bins in place of columns of numbers; nothing if no column holds numbers.
[[nodiscard]] std::optional<Task> with_bins(const Task& task);

}  // namespace leeway::assess
