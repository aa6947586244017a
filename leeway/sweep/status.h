// Progress of a sweep, from its folder. Cost: the plan, three folders a shard, a file for each failed unit.
#pragma once

#include <vector>

#include "leeway/record/sweep.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/plan_file.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {

// Folder, counts, failures and results. Claims of runners on other machines count as alive.
[[nodiscard]] record::SweepStatus status_of(const PlanFile& plan, const Store& store);

// Units of the plan that failed, by message.
[[nodiscard]] std::vector<record::SweepFailure> failures_of(const PlanFile& plan, const Store& store);

// What a plan comes to: units by stage, and how many are done.
[[nodiscard]] record::SweepPlan plan_record(const Plan& plan, const Store& store);

}  // namespace leeway::sweep
