// rows.csv: what happened to every row of every target.
//
// Columns: model, target, row (0-based, in the target's file), label, clean_pred, shifted_pred (class
// indices), clean_confidence, shifted_confidence, agreement (a_i at the maximiser), flipped (0 or 1). A field
// that is not known is empty: label without labels; clean_*, agreement and flipped without pairs. A name that a spreadsheet
// would take for a formula, since it begins with = + - @, a tab or a carriage return, has an apostrophe before it. Numbers
// have the shortest form that reads back as the same float64; an agreement may be -inf. Written under a
// temporary name and renamed by commit(). Errors (std::runtime_error): the disk. Cost: about 70 bytes a row;
// formatted by all threads, the same bytes for any number of them.
#pragma once

#include <filesystem>

#include "leeway/core/file.h"
#include "leeway/tasks/assess/inputs.h"

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
