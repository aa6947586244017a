// Criteria and test accuracy by epoch, for leeway/sweep/report.h: means over cases and settings of the chosen runs.
//
// A curve goes as far as all its runs go, so that every point is a mean over the same runs; of more than 50 epochs 50 are
// told, the first and the last among them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "leeway/record/sweep_report.h"
#include "leeway/sweep/detail/runs.h"
#include "leeway/sweep/detail/tuning.h"

namespace leeway::sweep::detail {

[[nodiscard]] std::vector<record::SweepCurve> curves_of(const Runs& runs, const Tuning& tuning, double level);

// The index of the highest value, the first of equal ones; nothing where none is a number.
[[nodiscard]] std::optional<std::size_t> highest(std::span<const double> series);

}  // namespace leeway::sweep::detail
