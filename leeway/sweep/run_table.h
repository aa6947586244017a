// The runs of a sweep as columns of text, from any table that leeway sweep collect wrote (collect.h).
//
// Axes are the columns before `unit_seconds`, except `unit`; the columns after it are keys of a result. A
// foreign table, without `unit_seconds`, has only keys. Joining a table of another stage adds its values to
// the rows with the same values of its axes (an axis missing here counts as empty); existing columns stay.
//
// Errors (Error): those of csv.h, a damaged .gz, no rows, an unknown column; joining a table with axes that
// this one lacks and no row in common, or with two rows for one. Memory: the text and 16 bytes a field.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/io/csv.h"

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
  [[nodiscard]] bool has(const std::string& column) const { return columns_.contains(column); }
  // The fields of a column that the table has, row by row.
  [[nodiscard]] const std::vector<std::string_view>& column(const std::string& name) const {
    return columns_.at(name);
  }

  std::vector<MissingRun> missing;
  std::map<std::string, std::string> roles;  // of axes, by the plan (plan.h); empty where there is none

 private:
  [[nodiscard]] bool is_axis(const std::string& column) const;
  [[nodiscard]] std::vector<std::string> labels_by(const std::vector<std::string>& axes) const;

  std::string name_;
  std::vector<CsvTable> tables_;  // this one and those that were joined: whose text the columns are
  std::size_t rows_ = 0;
  std::vector<std::string> axes_, keys_;
  std::map<std::string, std::vector<std::string_view>> columns_;
};

}  // namespace leeway::sweep
