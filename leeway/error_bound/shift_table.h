// A table of shifts with known truth and each method's prediction.
//
// CSV, one shift per row: `data_set` (or `dataset`; if missing, all rows are one data set), the truth, and
// one column per method. The truth is the target's accuracy (`truth`, `accuracy`, `target_accuracy`,
// `target_acc`, `trg_accuracy`, `trg_acc`, `true_accuracy`) or error (`error`, `target_error`, `true_error`);
// method columns hold the same quantity. Methods are the columns in `methods`, by default all other numeric
// columns except known non-methods (`shift`, `seed`, `train_method`, `source_accuracy` and the like).
// Errors (Error: file, column, row): those of csv.h, no or two truth columns, no method, an unknown method, a
// value that is not a number in [0,1], no rows. Cost: one pass.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/error_bound/evaluation.h"

namespace leeway::error_bound {

struct MethodShifts {
  std::string method;         // the column's name
  std::vector<Shift> shifts;  // accuracies, whatever the table holds
};

struct ShiftTable {
  std::size_t n = 0, data_sets = 0;
  std::vector<MethodShifts> methods;  // in the order of columns, or as asked for
};

[[nodiscard]] ShiftTable read_shift_table(const std::filesystem::path& path,
                                          std::span<const std::string> methods = {});

// The same for a file's text; `name` is for error messages.
[[nodiscard]] ShiftTable parse_shift_table(std::string_view text, const std::string& name,
                                           std::span<const std::string> methods = {});

}  // namespace leeway::error_bound
