// Tables of runs for tests, as leeway sweep collect writes them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "leeway/sweep/run_table.h"

namespace leeway::sweep::testing {

inline RunTable table_of_text(const std::string& text, const std::string& name = "runs.csv") {
  const auto kept = std::make_shared<const std::string>(text);
  return {MappedFile{kept, std::as_bytes(std::span(*kept))}, name};
}

}  // namespace leeway::sweep::testing
