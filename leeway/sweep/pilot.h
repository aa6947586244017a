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

// Runs one unit of each stage that is not done, and those it needs, one after the other; fills in what they took,
// and what that makes for all. Their results stay. A unit that fails is a warning.
void run_pilot(const PlanFile& plan, const Store& store, record::SweepPlan& record, Progress* progress);

}  // namespace leeway::sweep
