// The folder of a sweep as a table of runs (run_table.h): the records of a stage, beside each what the training before it says of
// itself (of trainings that begin with others the last one), and the units that have no record, each with its reason.
//
// Errors (Error): those of collect.h and plan_file.h; std::runtime_error: no room for the table in the folder of
// temporary files. Cost: that of collect.h, and one reading of two folders a shard.
#pragma once

#include <string>

#include "leeway/core/progress.h"
#include "leeway/sweep/plan_file.h"
#include "leeway/sweep/run_table.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {

// `stage`: whose records; empty: the last one.
[[nodiscard]] RunTable runs_of_folder(const PlanFile& plan, const Store& store, const std::string& stage,
                                      Progress* progress);

}  // namespace leeway::sweep
