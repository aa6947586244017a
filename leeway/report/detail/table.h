// Tables of the page: sortable, copied with full digits, a dash for what is missing with its reason below.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "leeway/core/numbers.h"

namespace leeway::report {

struct Column {
  std::string title;  // plain text
  std::string hint;   // what it means, one sentence; may be empty
  bool numeric = true;
  bool interval = false;  // cells hold an interval: copied as three columns
};
[[nodiscard]] Column text_column(std::string title, std::string hint = "");
[[nodiscard]] Column number_column(std::string title, std::string hint = "");
[[nodiscard]] Column interval_column(std::string title, std::string hint = "");

struct Cell {
  std::string html;
  std::optional<double> value, low, high;  // what sorting and copying see; text cells have none
  std::string title;                       // shown when the pointer rests on it
  std::string missing;                     // the reason for a dash; empty where there is a value
  double shade = 0;                        // distance from the source in [-1,1]; negative is worse
};

[[nodiscard]] Cell text_cell(std::string_view text);
[[nodiscard]] Cell html_cell(std::string html);
[[nodiscard]] Cell count_cell(std::size_t value);
[[nodiscard]] Cell dash_cell(std::string_view reason);
[[nodiscard]] Cell number_cell(double value, std::string html);
// Those below are a dash with `reason` where there is no value.
[[nodiscard]] Cell significant_cell(const std::optional<double>& value, int digits,
                                    std::string_view reason = "");
[[nodiscard]] Cell fixed_cell(const std::optional<double>& value, int decimals, std::string_view reason = "");
[[nodiscard]] Cell percent_cell(const std::optional<double>& share, int decimals,
                                std::string_view reason = "");
// A difference of shares in points, with its interval.
[[nodiscard]] Cell change_cell(const Measured& change, std::string_view reason = "");
// PA in nats, digits by its interval.
[[nodiscard]] Cell pa_cell(const Measured& pa, std::string_view reason = "");
// A share as "74.0% 73.1–74.9".
[[nodiscard]] Cell share_cell(const Measured& share, std::string_view reason = "");
// The cell of a value with `interval` in small figures behind it.
[[nodiscard]] Cell with_interval(Cell cell, const Measured& value, const std::string& interval,
                                 std::string_view kind = "iv");

class Table {
 public:
  Table(std::string caption, std::vector<Column> columns);
  void add(std::vector<Cell> row);
  // The column by which rows are sorted already ("worst first").
  void sorted_by(std::size_t column, bool ascending);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  // `row_headers` leading columns head their row. Empty without rows.
  [[nodiscard]] std::string html(std::size_t row_headers = 1) const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::optional<std::size_t> sorted_;
  bool ascending_ = true;
};

// A column, and what it shows of a row.
template <class Row>
struct ColumnOf {
  Column column;
  std::function<Cell(const Row&)> cell;
};

// `rows`: of Row, or of pointers to it.
template <class Row, class Rows>
[[nodiscard]] Table table_of(const std::string& caption, const std::vector<ColumnOf<Row>>& columns,
                             const Rows& rows) {
  std::vector<Column> heads;
  for (const ColumnOf<Row>& one : columns) heads.push_back(one.column);
  Table table(caption, std::move(heads));
  for (const auto& row : rows) {
    std::vector<Cell> cells;
    for (const ColumnOf<Row>& one : columns)
      if constexpr (std::is_pointer_v<typename Rows::value_type>)
        cells.push_back(one.cell(*row));
      else
        cells.push_back(one.cell(row));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace leeway::report
