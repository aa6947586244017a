// The runs of a sweep as columns of text: what leeway sweep collect wrote (collect.h), years ago or just now.
//
// The axes are the columns before `unit_seconds`, `unit` aside; what follows it are keys of a result. A table of other making,
// without that column, has no axes: all its columns are keys. Tables of other stages
// can be joined: their values go to the rows of the same values of their axes, of which one that this table lacks counts as
// empty; a column that this one has already stays as it is.
//
// Errors (Error): those of csv.h, of a damaged .gz, a table without rows, a joined one with axes that this one lacks
// and no row in common, or with two rows for one, a column that is none. Cost: one pass of the file for each read();
// memory: the columns that are read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "leeway/core/file.h"

namespace leeway::sweep {

// A combination of axes without a record, and why.
struct MissingRun {
  std::map<std::string, std::string> axes;
  std::string reason;
};

class RunTable {
 public:
  explicit RunTable(const std::filesystem::path& path);
  RunTable(MappedFile file, std::string name);

  void join(const RunTable& other);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& axes() const { return axes_; }
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }  // all other columns
  [[nodiscard]] bool has(const std::string& column) const;
  // Fields of these columns, row by row.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> read(
      const std::vector<std::string>& columns) const;

  std::vector<MissingRun> missing;

 private:
  struct Joined {
    MappedFile file;
    std::string name;
    std::vector<std::size_t> row_of;  // of each row of this table; npos: none
  };
  void read_header();

  MappedFile file_;
  std::string name_;
  std::size_t rows_ = 0;
  std::vector<std::string> axes_, keys_;
  std::vector<Joined> joined_;
  std::map<std::string, std::size_t> joined_keys_;  // column -> index into joined_
};

}  // namespace leeway::sweep
