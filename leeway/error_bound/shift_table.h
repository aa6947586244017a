// A table of shifts whose truth is known, with what every method said of them.
//
// CSV, one shift a row: `data_set` (or `dataset`; without it every row belongs to one data set), the truth,
// and a column for each method. The truth is the target's accuracy (`truth`, `accuracy`, `target_accuracy`,
// `target_acc`, `trg_accuracy`, `trg_acc`, `true_accuracy`), the methods' columns then are accuracies; or
// its error (`error`, `target_error`, `true_error`), and they are errors.
// A method is a column of numbers of another name; those known to be none (`shift`, `seed`, `train_method`,
// `source_accuracy` and the like) and columns of text are left out. Where `methods` names columns, it is
// those.
// Errors (Error: file, column, row): those of csv.h, no truth or two, no method, one that is not there, what
// is no number within 0 to 1, no rows. Cost: one pass.
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

// The same of a file's text; `name` opens messages.
[[nodiscard]] ShiftTable parse_shift_table(std::string_view text, const std::string& name,
                                           std::span<const std::string> methods = {});

}  // namespace leeway::error_bound
