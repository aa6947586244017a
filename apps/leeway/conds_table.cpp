#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"

namespace leeway::app {
namespace {

using conds::ColumnShift;
using conds::Measure;

constexpr std::size_t most_lines = 60, most_findings = 3;

std::string name_of(const conds::Description& said, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", printable(said.columns[i].name), printable(values[i]));
  return text;
}

std::string number(const std::optional<Measure>& measure) {
  return measure ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", measure->value, measure->interval.low,
                               measure->interval.high)
                 : "-";
}

// Of shares: "40 [33 47]" in percent.
std::string shares(const std::optional<Measure>& measure) {
  return measure ? fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100 * measure->value, 100 * measure->interval.low,
                               100 * measure->interval.high)
                 : "-";
}

std::string chance(const std::optional<conds::Test>& test) { return test ? four(test->adjusted) : "-"; }

std::string findings_text(const conds::Description& said, double level) {
  std::string text;
  if (said.findings.empty())
    return fmt::format("no shift found: no p-value of {} tests is below {:.4g} after Holm's method\n",
                       said.tests, 1 - level);
  const std::size_t shown = std::min(most_findings, said.findings.size());
  text = fmt::format("{} finding{} in {} tests (Holm's method, {:.4g}){}\n", said.findings.size(),
                     said.findings.size() == 1 ? "" : "s", said.tests, 1 - level,
                     shown < said.findings.size() ? fmt::format("; the {} strongest", shown) : "");
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{}. {}\n", i + 1, said.findings[i].text);
  return text;
}

std::string columns_text(const conds::Description& said) {
  constexpr std::size_t first_of_sc = 1, columns_of_sc = 3;
  TextTable table({left("column"), left("SC: V in the source", 21), right("p", 7),
                   right(said.n_target ? "target" : "", 7), left("LDD: distance %", 19), right("p", 7),
                   left("UDS: unseen mass %", 19), right("p", 7)});
  for (const ColumnShift& column : said.columns) {
    std::vector<std::string> cells{printable(column.name)};
    const auto add = [&](const std::string& measure, const std::optional<conds::Test>& test) {
      cells.push_back(measure);
      cells.push_back(chance(test));
    };
    column.sc ? add(number(column.sc->source.v), column.sc->test) : add("-", {});
    cells.push_back(column.sc && column.sc->target ? fmt::format("{:.3f}", column.sc->target->v.value) : "");
    column.drift ? add(shares(column.drift->distance), column.drift->test) : add("-", {});
    column.unseen ? add(shares(column.unseen->mass), column.unseen->test) : add("-", {});
    table.add(std::move(cells));
  }
  if (said.has_label()) return "\n" + table.text();
  for (std::size_t i = 0; i < columns_of_sc; ++i) table.drop(first_of_sc);
  return "\n" + table.text() + "no label (--label): spurious correlations are not tested\n";
}

std::string and_more(std::size_t cells) {
  if (cells <= most_lines) return "";
  return fmt::format("... and {} more cells (--json has all)\n", cells - most_lines);
}

std::string cells_text(const record::DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  std::vector<Column> columns{left("cell"), right(said.n_target ? "source" : "rows", 9)};
  if (said.n_target) columns.push_back(right("target", 9));
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < std::min(most_lines, shifts.cells.size()); ++i) {
    const auto& cell = shifts.cells[i];
    std::vector<std::string> row{name_of(said, cell.values), std::to_string(cell.n_source)};
    if (said.n_target) row.push_back(std::to_string(cell.n_target.value_or(0)));
    table.add(std::move(row));
  }
  const std::string unseen =
      said.unseen_cells ? fmt::format("{} of the target lies in cells that the source lacks\n",
                                      value_words({said.unseen_cells->value, said.unseen_cells->interval.low,
                                                   said.unseen_cells->interval.high},
                                                  true))
                        : "";
  return "\n" + table.text() + and_more(shifts.cells.size()) + unseen;
}

std::string accuracy_text(const record::DescribedShifts& shifts) {
  const record::AccuracyByCell& accuracy = *shifts.accuracy;
  TextTable table(
      {left("accuracy, worst first"), right("rows", 9), right("accuracy %", 8), left("interval")});
  for (std::size_t i = 0; i < std::min(most_lines, accuracy.cells.size()); ++i) {
    const record::CellAccuracy& cell = accuracy.cells[i];
    table.add(name_of(shifts.description, cell.values), cell.n, percents(cell.accuracy.value),
              percents(Interval{*cell.accuracy.low, *cell.accuracy.high}));
  }
  return "\n" + table.text() + and_more(accuracy.cells.size()) +
         fmt::format("test that accuracy is the same in all cells: p = {:.4f}\n", accuracy.p);
}

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

std::string table_of(const record::CondsDescribe& record) {
  const record::DescribedShifts& shifts = record.results.front();
  const conds::Description& said = shifts.description;
  return fmt::format("{} rows{}\n", said.n_source,
                     said.n_target ? fmt::format(" in the source, {} in the target", *said.n_target) : "") +
         findings_text(said, record.options.level) + columns_text(said) + cells_text(shifts) +
         (shifts.accuracy ? accuracy_text(shifts) : "");
}

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
