// What the pages of all records share: the envelope as a page shows it, points of curves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/result.h"
#include "leeway/record/agreement.h"

namespace leeway::report {

using Point = agreement::CurvePoint;

struct Input {
  std::string path, shape, digest;
  std::optional<std::size_t> bytes;
};

struct Envelope {
  std::vector<std::vector<std::string>> commands;  // one of each joined record
  std::vector<Input> inputs;
  std::string version, instruction_set;  // empty where not said
  std::optional<double> seconds;
  std::optional<std::size_t> seed;
};

// `text` at the end of `list`, unless it stands there already.
void append_new(std::vector<std::string>& list, const std::string& text);

}  // namespace leeway::report
