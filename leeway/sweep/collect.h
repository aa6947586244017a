// The records of a stage as one table: a row for each element of `results`.
//
// Columns: unit, the axes of the stage by name, unit_seconds (the record's), and the keys of a result that are one
// number, word or truth value, by the description of the record (record/keys.h): "pa", "worst_class.accuracy". Rows stand in
// the order of the plan. With `series` also what may choose an epoch of a training, and test accuracy (roles.h), and with
// `columns` any number in the elements of a list, "epochs.loss": those of all elements, separated by spaces, nan for null.
// Null is an empty field; the file is compressed where its name ends in .gz.
//
// Records are read in blocks, by all threads; memory does not depend on how many there are. Errors (Error): a stage or a column
// that does not exist, no record yet, a record that is broken or of another kind than the first; std::runtime_error: the
// file cannot be written.
#pragma once

#include <string>

#include "leeway/core/progress.h"
#include "leeway/record/sweep.h"
#include "leeway/sweep/plan_file.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {

[[nodiscard]] record::SweepTable collect(const PlanFile& plan, const Store& store,
                                         const record::SweepCollectOptions& options, const std::string& out,
                                         Progress* progress);

// Error where a file's name ends in something else than a table's. For those who collect at the end of long work.
void check_table_name(const std::string& out);

}  // namespace leeway::sweep
