// Flat TOML files: keys at the top and in tables, with texts, numbers, booleans and lists of texts and
// numbers.
//
//   seed = 3
//   [assess]
//   fail-if = ["accuracy<0.8"]
//
// Errors (Error: file, line and column, expected, found): invalid TOML, a value of another type, tables more
// than two deep. Cost: one pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leeway {

struct TomlEntry {
  enum class Kind { boolean, scalar, list };

  std::string table, key;  // table: "" at the top, "bound.evaluate" within another
  Kind kind = Kind::scalar;
  std::vector<std::string> values;  // as text; a boolean is "true" or "false"
  std::string place;                // "run.toml: line 3, column 1"
};

// In the order of the file.
[[nodiscard]] std::vector<TomlEntry> parse_toml(std::string_view text, std::string_view name);

}  // namespace leeway
