// The records of a stage as one table: a row for each element of `results`, in plan order.
//
// Columns: unit, the axes of the stage, unit_seconds, and the keys of a result that are one number, word or
// truth value (describe/keys.h): "pa", "worst_class.accuracy". `series` adds epoch criteria and test accuracy
// (roles.h); `columns` adds numbers in a list, "epochs.loss": all elements separated by spaces, nan for null.
// Null is an empty field; a name ending in .gz compresses the file.
//
// All threads read records in blocks; memory does not depend on their number. Errors (Error): an unknown
// stage or column, no record yet, a record that is broken or of another kind than the first;
// std::runtime_error: the file cannot be written.
#pragma once

#include <string>

#include "leeway/core/progress.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/run_table.h"
#include "leeway/sweep/store.h"
#include "leeway/tasks/sweep/sweep.h"

namespace leeway::sweep {

[[nodiscard]] tasks::SweepTable collect(const Plan& plan, const Store& store,
                                        const tasks::SweepCollectOptions& options, const std::string& out,
                                        Progress* progress);

// Error where a file's name ends in something else than a table's. For those who collect at the end of long work.
void check_table_name(const std::string& out);

// The table of runs in a sweep's folder: the records of a stage (empty: the last), each with the series of
// its (last) training, and the units without a record, with reasons. The table is in memory.
[[nodiscard]] RunTable runs_of_folder(const Plan& plan, const Store& store, const std::string& stage,
                                      Progress* progress);

}  // namespace leeway::sweep
