// The page of a record that has no page of its own: its results as tables, whose columns are the keys that its description
// (record/fields.h) names, with their meanings. Lists within results are tables of their own, of at most 1,000 rows.
#pragma once

#include <string>

#include "leeway/core/result.h"
#include "leeway/record/records.h"

namespace leeway::report {

// Errors (Error): another schema, an envelope of other types than the schema's.
[[nodiscard]] std::string plain_html(const record::Record& kind, const Json& json, const std::string& name);

}  // namespace leeway::report
