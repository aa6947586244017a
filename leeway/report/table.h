// Tables of the page: sortable, copied with full digits, a dash for what is missing with its reason below.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"

namespace leeway::report {

struct Column {
  std::string title;  // plain text
  std::string hint;   // what it means, one sentence; may be empty
  bool numeric = true;
  bool interval = false;  // cells hold an interval: copied as three columns
};

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
// With so many significant digits; a dash with `reason` where there is none.
[[nodiscard]] Cell significant_cell(const std::optional<double>& value, int digits, std::string_view reason);
// A difference of shares in points, with its interval; a dash with `reason` where there is none.
[[nodiscard]] Cell change_cell(const Measured& change, std::string_view reason);
// PA in nats, digits by its interval; a dash with `reason` where there is none.
[[nodiscard]] Cell pa_cell(const Measured& pa, std::string_view reason);
// A share as "74.0% 73.1–74.9"; a dash with `reason` where there is none.
[[nodiscard]] Cell share_cell(const Measured& share, std::string_view reason);

class Table {
 public:
  Table(std::string caption, std::vector<Column> columns);
  void add(std::vector<Cell> row);
  // The column by which rows are sorted already ("worst first").
  void sorted_by(std::size_t column, bool ascending);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // `row_headers` leading columns head their row.
  [[nodiscard]] std::string html(std::size_t row_headers = 1) const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::optional<std::size_t> sorted_;
  bool ascending_ = true;
};

}  // namespace leeway::report
