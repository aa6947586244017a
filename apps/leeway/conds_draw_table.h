// What leeway conds draw says: the record and the tables.
#pragma once

#include <string>
#include <vector>

#include "leeway/conds/conds.h"
#include "leeway/core/result.h"

namespace leeway::app {

struct CondsCase {
  std::string name;  // "sc_ldd-3"
  conds::ConDSPlan plan;
  std::string out = {};                 // empty: planned alone
  std::string digest = {};              // of that file; empty: not wanted
  std::vector<std::size_t> drawn = {};  // train, validation, test; empty: planned alone
};

// The result of one case; what the record says of all.
[[nodiscard]] Json conds_json(const CondsCase& one, const AttributeTable& table, const Cells& cells,
                              const conds::ConDSOptions& options);
[[nodiscard]] Json conds_json(const AttributeTable& table, const conds::ConDSOptions& options);

// One case: its cells as rows. Several: a line for each.
[[nodiscard]] std::string conds_text(const std::vector<CondsCase>& cases, const AttributeTable& table,
                                     const Cells& cells, std::uint64_t seed);

}  // namespace leeway::app
