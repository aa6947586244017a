// What a description (fields.h) says, as JSON: written, read and checked, and as a JSON schema.
//
// Numbers that JSON has no word for are the strings "inf", "-inf" and "nan"; a number with a range is neither NaN nor an
// infinity beyond it. Keys that a description does not name are passed over, so that a record of tomorrow can be read.
#pragma once

#include <string>
#include <string_view>

#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/record/envelope.h"

namespace leeway::record {

// A record as it is printed and written: indented JSON that ends its line, in which control characters are escaped.
[[nodiscard]] std::string record_text(const Json& record);

// Fills what is described from `json`; `name` is what messages call the record. Errors (Error): a key that is missing and
// may not be null, a value of another type, outside its range or none of its choices:
// "r.json: expected a number from 0 to 1 at results[2].pa, found 'x'".
void read(const Description& describe, const Json& json, const std::string& name);

// Draft 2020-12. Everything that is written is required; other keys are allowed.
[[nodiscard]] Json schema_of(const Description& describe, std::string_view title);

// A digest of the names and values, in the order of the description: whether a saved state is of the same options.
[[nodiscard]] std::string digest_of(const Description& describe);

// Error where the record is not of `schema` ("leeway.pa/2"); an earlier number of the same name is refused with the words to
// run the command again.
void require_schema(const Json& record, std::string_view schema, const std::string& name);

// A record of `schema`. Errors (Error): those of require_schema and read; no results.
template <class Record>
[[nodiscard]] Record record_from(const Json& json, std::string_view schema, const std::string& name) {
  require_schema(json, schema, name);
  Record record;
  read([&](Fields& f) { fields(record, f); }, json, name);
  if constexpr (requires { record.results; })
    if (record.results.empty()) refuse(name, "at least one result", "none");
  return record;
}

}  // namespace leeway::record
