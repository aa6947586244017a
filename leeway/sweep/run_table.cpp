#include "leeway/sweep/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/io/inflate.h"

namespace leeway::sweep {

RunTable::RunTable(const std::filesystem::path& path)
    : RunTable(unpack_gzip(map_file(path), display_name(path)), display_name(path)) {}

RunTable::RunTable(MappedFile file, std::string name) : name_(std::move(name)) {
  tables_.push_back(parse_csv(file.text(), name_));
  CsvTable& table = tables_.front();
  table.file = std::move(file);
  rows_ = table.rows();
  if (rows_ == 0) refuse(name_, "at least one run", "none");
  const auto end = std::ranges::find(table.header, "unit_seconds") - table.header.begin();
  const bool collected = end < std::ssize(table.header);
  for (std::ptrdiff_t at = 0; at < std::ssize(table.header); ++at) {
    const std::string& column = table.header[at];
    if (column == "unit" || at == end) continue;
    (collected && at < end ? axes_ : keys_).push_back(column);
    columns_.try_emplace(column, std::move(table.columns[at]));
  }
  table.columns.clear();
}

bool RunTable::is_axis(const std::string& column) const {
  return std::ranges::find(axes_, column) != axes_.end();
}

// The values of the axes of each row as one text, in which no two combinations are alike. An axis that this
// table lacks is empty: its runs are those that do not have it.
std::vector<std::string> RunTable::labels_by(const std::vector<std::string>& axes) const {
  std::vector<std::string> labels(rows_);
  for (const std::string& axis : axes)
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::string_view value = is_axis(axis) ? column(axis)[i] : "";
      labels[i] += fmt::format("{}:{},", value.size(), value);
    }
  return labels;
}

void RunTable::join(const RunTable& other) {
  std::unordered_map<std::string, std::size_t> places;
  for (const std::string& label : other.labels_by(other.axes_))
    if (const auto [known, fresh] = places.try_emplace(label, places.size()); !fresh)
      refuse(other.name_, "one row for each combination of its axes",
             fmt::format("a duplicate of row {}", known->second));
  std::vector<std::size_t> row_of;  // of each row of this table
  for (const std::string& label : labels_by(other.axes_)) {
    const auto found = places.find(label);
    row_of.push_back(found == places.end() ? other.rows_ : found->second);
  }
  if (std::ranges::all_of(row_of, [&](std::size_t row) { return row == other.rows_; }))
    for (const std::string& axis : other.axes_)
      if (!is_axis(axis)) refuse(other.name_, fmt::format("axes that {} also has", name_), in_quotes(axis));
  for (const std::string& key : other.keys_) {
    const auto [column, fresh] = columns_.try_emplace(key);
    if (!fresh) continue;
    keys_.push_back(key);
    for (const std::size_t row : row_of)
      column->second.push_back(row == other.rows_ ? std::string_view() : other.column(key)[row]);
  }
  tables_.insert(tables_.end(), other.tables_.begin(), other.tables_.end());
}

}  // namespace leeway::sweep
