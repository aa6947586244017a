// A file of options: TOML whose keys are the long names of options.
//
//   seed = 3                          at the top: for every command that has the option
//   [assess]                          for one command
//   fail-if = ["accuracy<0.8"]        a list for an option that takes several values
//   no-digest = true                  true or false for a flag
//
// Values are texts, numbers, booleans and lists of texts and numbers. Errors (Error: file, line and column, expected,
// found): text that is not TOML, a value of another type, a table within a table. Cost: one pass.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leeway::app {

struct ConfigEntry {
  enum class Kind { boolean, scalar, list };

  std::string table, key;  // table: the command; "" at the top
  Kind kind = Kind::scalar;
  std::vector<std::string> values;  // as they would stand on the command line; a boolean is "true" or "false"
  std::string place;                // "run.toml: line 3, column 1"
};

// In the order of the file.
[[nodiscard]] std::vector<ConfigEntry> parse_config(std::string_view text, std::string_view name);

}  // namespace leeway::app
