// A table that is written row by row: CSV (its name ends in .csv, or .gz: compressed), or .npz with an array a column.
//
// In an .npz words are Unicode text, numbers float64 (a null is NaN) and truth values 1 and 0 in float64. CSV is written as
// it comes; of an .npz all values are kept until commit(): 8 bytes a number, 32 or more a word. Errors (Error): a value of
// a column of numbers that is none, or a whole number that float64 does not hold; std::runtime_error: the file cannot
// be written.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace leeway::sweep {

struct TableColumn {
  std::string name;
  bool number = false;  // or truth value; else words
};

class TableFile {
 public:
  virtual ~TableFile() = default;
  // A field for each column; empty: null.
  virtual void write(std::span<const std::string> row) = 0;
  // The file appears, whole.
  virtual void commit() = 0;
};

[[nodiscard]] bool is_npz(const std::string& path);
[[nodiscard]] std::unique_ptr<TableFile> new_table_file(const std::string& path,
                                                        std::vector<TableColumn> columns);

}  // namespace leeway::sweep
