// How common corruptions are applied, as options of commands, and as what was done.
#pragma once

#include <optional>
#include <string>

#include "leeway/record/fields.h"

namespace leeway::record {

struct CorruptionChoice {
  std::string set = "auto";              // whose constants
  std::string variant = "corrected";     // or "published"
  std::optional<std::string> frost_dir;  // unset: procedural pictures

  bool operator==(const CorruptionChoice&) const = default;
};

struct CorruptionUse {
  std::string set;     // never "auto"
  double lengths = 1;  // what the set's lengths were multiplied with
  std::string variant;
  std::string frost;  // "procedural", or the folder

  bool operator==(const CorruptionUse&) const = default;
};

void fields(CorruptionChoice& choice, Fields& f);
void fields(CorruptionUse& use, Fields& f);

}  // namespace leeway::record
