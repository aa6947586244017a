// The records of a stage as one table: a row for each element of `results`.
//
// Columns: unit, the axes of the stage by name, unit_seconds (the record's), and the keys of a result that are one
// number, word or truth value, by the description of the record (record/keys.h): "pa", "worst_class.accuracy". Rows stand in
// the order of the plan. With `series` also what may choose an epoch of a training, and test accuracy (roles.h), and with
// `columns` any number in the elements of a list, "epochs.loss": those of all elements, separated by spaces, nan for null.
// The file's name decides its form: CSV, where null is an empty field, compressed where it ends in .gz; or .npz with an array
// a column, words as text and all else as float64, null as NaN (detail/table_file.h).
//
// Records are read in blocks, by all threads; of a CSV file memory does not depend on how many there are, of an .npz all values
// are kept until the end. Errors (Error): a stage that is none, a column that is none, no record yet, a record that is broken or
// of another kind than the first, in an .npz a whole number that float64 does not hold; std::runtime_error: the file
// cannot be written.
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
