// Result records: the JSON that every command prints with --json.
//
// A record is {"schema": "leeway.list/2", "command": [...], "inputs": [{"path","bytes","shape","xxh3_128"}],
// "seed", "version", "instruction_set", "seconds", "results": [...]}. Numbers have the accuracy of float64;
// numbers that JSON cannot express are the strings "inf", "-inf" and "nan".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "leeway/core/json_fwd.h"

namespace leeway {

// The number itself, or "inf", "-inf", "nan".
[[nodiscard]] Json json_number(double value);

// Reads a record written by a command. Throws Error (file, position) for what is not JSON, is nested more
// than 100 levels deep, or is not an object with a "schema" string.
[[nodiscard]] Json read_record(const std::string& path);
[[nodiscard]] Json parse_record(std::string_view text, const std::string& name);  // of the file `name`

// Json::parse of text from others, for which deeper nesting could exhaust the stack: Error above 100 levels.
[[nodiscard]] Json parse_nested(std::string_view text, const std::string& name);

}  // namespace leeway
