// What a plan comes to: units by stage, and with a pilot their time and disk.
#pragma once

#include "leeway/core/progress.h"
#include "leeway/record/sweep.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/plan_file.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {

// All but the options and what a pilot says.
[[nodiscard]] record::SweepPlan plan_record(const Plan& plan, const Store& store);

// Runs one unit of each stage, and of each combination of words among its own options (32 at most), such as its algorithms,
// that is not done, and those they need, one after the other; fills in what they took, and what that makes for all, each
// unit by its own words. Their results stay. False where one failed: a warning says how.
[[nodiscard]] bool run_pilot(const PlanFile& plan, const Store& store, record::SweepPlan& record,
                             Progress* progress);

}  // namespace leeway::sweep
