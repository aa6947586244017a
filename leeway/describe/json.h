// Writes, reads and checks JSON by a description (fields.h), and makes its JSON schema.
//
// Numbers that JSON lacks are the strings "inf", "-inf" and "nan"; a number with a range is neither NaN nor
// an infinity outside it. Unknown keys are ignored, so that records of later versions can be read.
#pragma once

#include <string>
#include <string_view>

#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/describe/envelope.h"

namespace leeway {

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

// Error: the record is not of `schema` ("leeway.pa/2"); the message on an earlier version says to rerun.
void require_schema(const Json& record, std::string_view schema, const std::string& name);

// A saved record. Errors (Error): those of require_schema, read and the record's check(), if any; no results.
template <class Record>
[[nodiscard]] Record record_from(const Json& json, const std::string& name) {
  Record record;
  require_schema(json, record.envelope.schema, name);
  read([&](Fields& f) { fields(record, f); }, json, name);
  if constexpr (requires { record.results; })
    if (record.results.empty()) refuse(name, "at least one result", "none");
  if constexpr (requires { check(record, name); }) check(record, name);
  return record;
}

}  // namespace leeway
