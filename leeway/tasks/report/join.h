// Joins several records into one, to compare models that were assessed separately.
//
// Errors (Error: name, expected, found): no record; other classes than the first record's; a model and target
// three times.
#pragma once

#include <string>
#include <vector>

#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/pa/pa.h"

namespace leeway::tasks {

// Joins at least one record, in the order given; names[i] is that of records[i]. A single record stays as it
// is. Where two hold the same model and target, the later model is called "MODEL (NAME)".
[[nodiscard]] Assess join_records(const std::vector<std::string>& names, std::vector<Assess> records);

// The same for records of leeway pa. Those that name no model and have different clean sets are of different models, called
// by the record's name without folder and ending; their shifted sets are then called by their files likewise.
[[nodiscard]] Pa join_records(const std::vector<std::string>& names, std::vector<Pa> records);

}  // namespace leeway::tasks
