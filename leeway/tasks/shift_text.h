// A CSV file with one column of texts shifted (shift/text.h), all else unchanged.
// OptionError: an unknown text shift, a strength or option that it does not take. Errors (Error): those of
// shift/text_table.h and shift/text.h. Cost and determinism: as there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/record/shift_text.h"

namespace leeway::tasks {

struct ShiftTextTask {
  std::string shift, data, out;  // CSV files; without `out` none is written
  record::ShiftTextOptions options = {};
  std::uint64_t seed = 0;
  // Is told of each file that was read.
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
  std::optional<std::string> text = {};        // of a CSV file that `data` only names
  std::function<void(std::string)> take = {};  // is given the text of the changed file
};

[[nodiscard]] record::ShiftText shift_text(const ShiftTextTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
