#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/message.h"

namespace leeway::app {
namespace {

using record::CondsCase;
using record::CondsColumn;

constexpr std::size_t most_cell_lines = 81;  // of cells, where the split is written

std::string cells_text(const CondsCase& one, const record::CondsDraw& record) {
  std::vector<Column> columns{left(printable(record.label.name))};
  for (const CondsColumn& attribute : record.attributes) columns.push_back(left(printable(attribute.name)));
  for (const auto& [title, width] : {std::pair("available", 10), {"train", 8}, {"val", 6}, {"test", 6}})
    columns.push_back(right(title, width));
  columns.push_back(left(""));
  TextTable table(std::move(columns));
  const std::size_t shown = one.out ? std::min(most_cell_lines, one.cells.size()) : one.cells.size();
  const auto count = [](std::size_t n) { return n == 0 ? "-" : std::to_string(n); };
  for (std::size_t c = 0; c < shown; ++c) {
    const auto& [values, cell] = one.cells[c];
    std::vector<std::string> row;
    for (const std::string& value : values) row.push_back(printable(value));
    row.insert(row.end(),
               {std::to_string(cell.available), count(cell.train) + (cell.counterexamples > 0 ? "*" : ""),
                count(cell.validation), std::to_string(cell.test),
                cell.lacks() > 0 ? fmt::format("lacks {}", cell.lacks()) : ""});
    table.add(std::move(row));
  }
  std::string text = table.text();
  if (shown < one.cells.size())
    text += fmt::format("... and {} more cells (--plan and --json have all)\n", one.cells.size() - shown);
  if (one.n_counterexamples > 0) text += "* counterexamples: they break the correlation\n";
  return text;
}

std::string outcome(const CondsCase& one) {
  if (one.out && !one.out->empty()) return "written to " + *one.out;
  if (one.cells_lacking == 0) return "the data have enough rows in every cell";
  return fmt::format("{} of {} cells have too few rows", one.cells_lacking, one.cells.size());
}

}  // namespace

std::string table_of(const record::CondsDraw& record) {
  const CondsCase& first = record.results.front();
  if (record.results.size() == 1)
    return fmt::format("{}; seed {}: {} train, {} validation, {} test of {} rows\n{}{}\n",
                       record::shifts_text(first.shifts), record.envelope.seed, first.n_train,
                       first.n_validation, first.n_test, record.n, cells_text(first, record), outcome(first));
  TextTable table({left("case", 14), right("train", 8), right("val", 8), right("test", 8), left("shifts")});
  for (const CondsCase& one : record.results)
    table.add(
        one.name, one.n_train, one.n_validation, one.n_test,
        record::shifts_text(one.shifts) +
            (one.cells_lacking == 0 ? "" : fmt::format("; {} cells have too few rows", one.cells_lacking)));
  return fmt::format("seed {}, {} rows in {} cells\n", record.envelope.seed, record.n, first.cells.size()) +
         table.text();
}

}  // namespace leeway::app
