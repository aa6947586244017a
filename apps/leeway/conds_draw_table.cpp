#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/leeway/conds_tables.h"
#include "leeway/core/message.h"

namespace leeway::app {
namespace {

using record::CondsCase;
using record::CondsColumn;

constexpr std::size_t most_lines = 81;  // of cells, where the split is written

std::string cells_text(const CondsCase& one, const record::CondsDraw& record) {
  std::vector<const CondsColumn*> columns{&record.label};
  for (const CondsColumn& attribute : record.attributes) columns.push_back(&attribute);
  std::vector<std::size_t> widths;
  std::string text;
  for (const CondsColumn* column : columns) {
    std::size_t width = printable(column->name).size();
    for (const std::string& value : column->values) width = std::max(width, printable(value).size());
    widths.push_back(width);
    text += fmt::format("{:<{}}  ", printable(column->name), width);
  }
  text += fmt::format("{:>9} {:>8} {:>6} {:>6}\n", "available", "train", "val", "test");
  const std::size_t shown = one.out ? std::min(most_lines, one.cells.size()) : one.cells.size();
  for (std::size_t c = 0; c < shown; ++c) {
    const auto& [values, cell] = one.cells[c];
    for (std::size_t i = 0; i < columns.size(); ++i)
      text += fmt::format("{:<{}}  ", printable(values[i]), widths[i]);
    const std::string train =
        cell.train == 0 ? "-" : fmt::format("{}{}", cell.train, cell.counterexamples > 0 ? "*" : "");
    text += fmt::format("{:>9} {:>8} {:>6} {:>6}{}\n", cell.available, train,
                        cell.validation == 0 ? "-" : std::to_string(cell.validation), cell.test,
                        cell.lacks() > 0 ? fmt::format("  lacks {}", cell.lacks()) : "");
  }
  if (shown < one.cells.size())
    text += fmt::format("... and {} more cells (--plan and --json have all)\n", one.cells.size() - shown);
  if (one.n_counterexamples > 0) text += "* counterexamples: they break the correlation\n";
  return text;
}

std::string outcome(const CondsCase& one) {
  if (one.out) return "written to " + *one.out;
  if (one.cells_lacking == 0) return "the data have enough rows in every cell";
  return fmt::format("{} of {} cells have too few rows", one.cells_lacking, one.cells.size());
}

}  // namespace

std::string conds_draw_text(const record::CondsDraw& record) {
  const CondsCase& first = record.results.front();
  if (record.results.size() == 1)
    return fmt::format("{}; seed {}: {} train, {} validation, {} test of {} rows\n{}{}\n",
                       record::shifts_text(first.shifts), record.envelope.seed, first.n_train,
                       first.n_validation, first.n_test, record.n, cells_text(first, record), outcome(first));
  std::string text =
      fmt::format("seed {}, {} rows in {} cells\n{:<14} {:>8} {:>8} {:>8}  {:<}\n", record.envelope.seed,
                  record.n, first.cells.size(), "case", "train", "val", "test", "shifts");
  for (const CondsCase& one : record.results)
    text += fmt::format(
        "{:<14} {:>8} {:>8} {:>8}  {}{}\n", one.name, one.n_train, one.n_validation, one.n_test,
        record::shifts_text(one.shifts),
        one.cells_lacking == 0 ? "" : fmt::format("; {} cells have too few rows", one.cells_lacking));
  return text;
}

}  // namespace leeway::app
