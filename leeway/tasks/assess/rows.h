// rows.csv: every row of every target.
//
// Columns: model, target, row (0-based, in the target's file), label, clean_pred, shifted_pred (class
// indices), clean_confidence, shifted_confidence, agreement (a_i at the maximizer; may be -inf), flipped (0
// or 1). Unknown fields are empty: label without labels; clean_*, agreement and flipped without pairs.
// csv_name escapes names, so that spreadsheets do not read formulas; numbers read back as the same float64.
// commit() renames the temporary file. Errors (std::runtime_error): the disk. Cost: about 70 bytes a row; the
// same bytes for any number of threads.
#pragma once

#include <filesystem>

#include "leeway/core/file.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

class RowsFile {
 public:
  explicit RowsFile(const std::filesystem::path& path);  // writes the header
  void write(const TargetRows& rows);
  void commit();

 private:
  AtomicFile file_;
};

}  // namespace leeway::assess
