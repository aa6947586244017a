#include "leeway/sweep/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "leeway/core/csv.h"
#include "leeway/core/inflate.h"
#include "leeway/core/message.h"

namespace leeway::sweep {
namespace {

constexpr std::string_view unit_column = "unit", last_before_keys = "unit_seconds";

using Columns = std::map<std::string, std::vector<std::string>>;

Columns read_columns(const MappedFile& file, const std::string& name,
                     const std::vector<std::string>& wanted) {
  CsvRecords records(file.text(), name);
  std::vector<std::pair<std::size_t, std::vector<std::string>*>> places;
  Columns columns;
  for (const std::string& column : wanted) places.emplace_back(records.column(column), &columns[column]);
  while (records.next())
    for (const auto& [place, values] : places) values->emplace_back(records.fields()[place]);
  return columns;
}

// The values of several columns of a row as one text, in which no two combinations are alike.
std::vector<std::string> joined_texts(const Columns& columns, const std::vector<std::string>& names,
                                      std::size_t rows) {
  std::vector<std::string> texts(rows);
  for (const std::string& name : names)
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string& value = columns.at(name)[i];
      texts[i] += fmt::format("{}:{},", value.size(), value);
    }
  return texts;
}

}  // namespace

RunTable::RunTable(const std::filesystem::path& path) : name_(display_name(path)) {
  file_ = unpack_gzip(map_file(path), name_);
  read_header();
}

RunTable::RunTable(MappedFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {
  read_header();
}

void RunTable::read_header() {
  CsvRecords records(file_.text(), name_);
  const std::vector<std::string>& header = records.header();
  const auto end = std::ranges::find(header, last_before_keys);
  for (auto at = header.begin(); at != header.end(); ++at)
    if (*at != unit_column && at != end) (at < end && end != header.end() ? axes_ : keys_).push_back(*at);
  while (records.next()) ++rows_;
  if (rows_ == 0) refuse(name_, "at least one run", "none");
}

void RunTable::join(const RunTable& other) {
  std::vector<std::string> common;
  for (const std::string& axis : other.axes_)
    if (std::ranges::find(axes_, axis) != axes_.end()) common.push_back(axis);
  const std::vector<std::string> theirs =
      joined_texts(read_columns(other.file_, other.name_, other.axes_), other.axes_, other.rows_);
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (!places.emplace(theirs[i], i).second)
      refuse(other.name_, "one row for each combination of its axes",
             fmt::format("a duplicate of row {}", places.at(theirs[i])));
  Joined joined{other.file_, other.name_, {}};
  Columns ours = read_columns(file_, name_, common);
  for (const std::string& axis : other.axes_)
    ours.try_emplace(axis, rows_);  // one that this table lacks: its runs are those that do not have it
  bool any = false;
  for (const std::string& text : joined_texts(ours, other.axes_, rows_)) {
    const auto found = places.find(text);
    joined.row_of.push_back(found == places.end() ? std::string::npos : found->second);
    any |= found != places.end();
  }
  if (!any && common.size() < other.axes_.size())
    for (const std::string& axis : other.axes_)
      if (std::ranges::find(common, axis) == common.end())
        refuse(other.name_, fmt::format("axes that {} also has", name_), in_quotes(axis));
  for (const std::string& key : other.keys_)
    if (!has(key)) keys_.push_back(key), joined_keys_[key] = joined_.size();
  joined_.push_back(std::move(joined));
}

bool RunTable::has(const std::string& column) const {
  return std::ranges::find(axes_, column) != axes_.end() || std::ranges::find(keys_, column) != keys_.end();
}

Columns RunTable::read(const std::vector<std::string>& columns) const {
  std::vector<std::string> own;
  std::vector<std::vector<std::string>> others(joined_.size());
  for (const std::string& column : columns) {
    const auto joined = joined_keys_.find(column);
    (joined == joined_keys_.end() ? own : others[joined->second]).push_back(column);
  }
  Columns all = read_columns(file_, name_, own);
  for (std::size_t j = 0; j < joined_.size(); ++j) {
    if (others[j].empty()) continue;
    for (auto& [column, values] : read_columns(joined_[j].file, joined_[j].name, others[j])) {
      std::vector<std::string>& mine = all[column];
      for (const std::size_t row : joined_[j].row_of)
        mine.push_back(row == std::string::npos ? "" : values[row]);
    }
  }
  return all;
}

}  // namespace leeway::sweep
