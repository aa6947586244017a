// The records of a stage as one CSV file: a row for each element of `results`.
//
// Columns: unit, the axes of the stage by name, unit_seconds (the record's), and the keys of a result that are one
// number, word or truth value, by the description of the record (record/keys.h): "pa", "worst_class.accuracy". Null
// is an empty field. Rows stand in the order of the plan. A name that ends in .gz is compressed.
//
// Records are read in blocks, by all threads; memory does not depend on how many there are. Errors (Error): a stage
// that is none, a column that is none, no record yet, a record that is broken or of another kind than the first;
// std::runtime_error: the file cannot be written.
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

}  // namespace leeway::sweep
