// Tables for the terminal, and the words in their cells.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/statistics.h"
#include "leeway/record/envelope.h"

namespace leeway::app {

struct Column {
  std::string title;
  std::size_t width = 0;  // at least; a column is as wide as its widest cell
  bool left = false;      // aligned to the left, two spaces from the column before it
  std::size_t narrowest =
      0;  // 0: never cut; else its cells are cut in their middle where the table has more than 100 columns
};
[[nodiscard]] inline Column left(std::string title, std::size_t width = 0, std::size_t narrowest = 0) {
  return {std::move(title), width, true, narrowest};
}
[[nodiscard]] inline Column right(std::string title, std::size_t width = 0, std::size_t narrowest = 0) {
  return {std::move(title), width, false, narrowest};
}

class TextTable {
 public:
  // `gap`: spaces before a column that is aligned to the right.
  explicit TextTable(std::vector<Column> columns, std::size_t gap = 1)
      : columns_(std::move(columns)), gap_(gap) {}

  // A row. The last cell of one that is shorter than the table may be wider than its column.
  template <class... Cells>
  void add(const Cells&... cells) {
    rows_.push_back({fmt::format("{}", cells)...});
  }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void drop(std::size_t column);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // A line of titles and one a row, without spaces at their ends.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::size_t gap_before(std::size_t column) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                 const std::vector<std::size_t>& widths) const;
  std::vector<Column> columns_;
  std::size_t gap_;
  std::vector<std::vector<std::string>> rows_;
};

// A name or a sentence on one line, whatever the inputs may hold.
[[nodiscard]] std::string shown(const std::string& text);
[[nodiscard]] std::string cut_at_front(const std::string& name, std::size_t room);  // "...-01/clean.npz"
[[nodiscard]] std::string four(const std::optional<double>& value);                 // "0.7830", "-"
[[nodiscard]] std::string interval_text(const std::optional<Interval>& interval);   // "[1.9158, 2.0230]", "-"
// Shares of rows in percent, for columns whose title says "%" (docs/design/percent.md).
[[nodiscard]] std::string percents(const std::optional<double>& share);       // "78.30", "-"
[[nodiscard]] std::string percents(const std::optional<Interval>& interval);  // "[75.81, 80.62]", "-"
[[nodiscard]] std::string beta_text(double beta);                             // "2.281", "inf"
[[nodiscard]] std::string level_text(double level);                           // "[95% interval]"

// The headline and the findings of a record, in lines.
[[nodiscard]] std::string words_of(const record::Envelope& envelope);
[[nodiscard]] std::string findings_of(const record::Envelope& envelope);
[[nodiscard]] std::string warnings_of(const record::Envelope& envelope);  // "warning: ...", a line each

}  // namespace leeway::app
