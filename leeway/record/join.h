// One record of several, so that models assessed one by one stand side by side.
//
// Errors (Error: name, expected, found): no record; other classes than those of the first; a model and target a third time.
#pragma once

#include <string>
#include <vector>

#include "leeway/record/assess.h"
#include "leeway/record/pa.h"

namespace leeway::record {

// Records in the order in which they are to be shown, at least one; names[i] is that of records[i], and one record stays as it
// is. Where two hold the same model and target, the later model is called "MODEL (NAME)".
[[nodiscard]] Assess join_records(const std::vector<std::string>& names, std::vector<Assess> records);

// The same for records of leeway pa. Those that name no model and have different clean sets are of different models, called
// by the record's name without folder and ending; their shifted sets are then called by their files likewise.
[[nodiscard]] Pa join_records(const std::vector<std::string>& names, std::vector<Pa> records);

}  // namespace leeway::record
