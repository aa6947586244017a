// For leeway/sweep/report.h: the measure of what each way of choosing would have got, and criteria and test accuracy by epoch.
#pragma once

#include <vector>

#include "leeway/record/fields.h"
#include "leeway/record/sweep_report.h"
#include "leeway/sweep/detail/fold.h"
#include "leeway/sweep/detail/runs.h"
#include "leeway/sweep/detail/tuning.h"

namespace leeway::sweep::detail {

struct WayOptions {
  bool by_case = true;
  double level = .95;
  record::Range range = {};  // of the measure
};

// `tuning`: by validation. Empty where there is nothing to choose.
[[nodiscard]] std::vector<record::SweepWay> ways_of(const Runs& runs, const Tuning& tuning,
                                                    const WayOptions& options);

// Means over cases and settings of the chosen runs, by epoch, as far as all runs go. Of more than 50 epochs
// 50 are kept, with the first and the last.
[[nodiscard]] std::vector<record::SweepCurve> curves_of(const Runs& runs, const Tuning& tuning, double level);

// Leaves of lists of the same items only the seeds that all lists have.
void keep_common(std::vector<std::vector<Item>>& lists);

}  // namespace leeway::sweep::detail
