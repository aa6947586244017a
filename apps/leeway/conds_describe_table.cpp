#include "apps/leeway/conds_describe_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"

namespace leeway::app {
namespace {

using assess::Described;
using conds::ColumnShift;
using conds::Measure;

constexpr std::size_t most_lines = 60, most_findings = 3;

std::string number(const std::optional<Measure>& measure) {
  return measure ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", measure->value, measure->interval.low,
                               measure->interval.high)
                 : "-";
}

std::string chance(const std::optional<conds::Test>& test) {
  return test ? fmt::format("{:.4f}", test->adjusted) : "-";
}

std::string findings_text(const Described& described, double level) {
  const conds::Description& said = described.description;
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
  std::size_t width = 6;
  for (const ColumnShift& column : said.columns) width = std::max(width, printable(column.name).size());
  std::string text = fmt::format("\n{:<{}}  {:<21} {:>7} {:>7}  {:<21} {:>7}  {:<21} {:>7}\n", "column",
                                 width, "SC: V in the source", "p", said.n_target ? "target" : "",
                                 "LDD: distance", "p", "UDS: unseen mass", "p");
  for (const ColumnShift& column : said.columns) {
    std::optional<Measure> v, distance, mass;
    std::optional<conds::Test> independence, shares, unseen;
    if (column.source) {
      v = column.source->v;
      independence = column.sc;
    }
    if (column.drift) {
      distance = column.drift->distance;
      shares = column.drift->test;
    }
    if (column.unseen) {
      mass = column.unseen->mass;
      unseen = column.unseen->test;
    }
    text += fmt::format("{:<{}}  {:<21} {:>7} {:>7}  {:<21} {:>7}  {:<21} {:>7}\n", printable(column.name),
                        width, number(v), chance(independence),
                        column.target ? fmt::format("{:.3f}", column.target->v.value) : "", number(distance),
                        chance(shares), number(mass), chance(unseen));
  }
  return text;
}

std::string cells_text(const Described& described) {
  const Cells cells(described.source);
  const auto before = cells.counts(described.source);
  std::vector<std::size_t> after(cells.size());
  if (described.target) after = cells.counts(*described.target);
  std::vector<std::size_t> shown;
  std::size_t width = 4;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (before[i] + after[i] > 0) shown.push_back(i);
  const std::size_t lines = std::min(most_lines, shown.size());
  for (std::size_t i = 0; i < lines; ++i) width = std::max(width, cells.text(shown[i]).size());
  std::string text = fmt::format("\n{:<{}} {:>9}{}\n", "cell", width, described.target ? "source" : "rows",
                                 described.target ? fmt::format(" {:>9}", "target") : "");
  for (std::size_t i = 0; i < lines; ++i)
    text += fmt::format("{:<{}} {:>9}{}\n", cells.text(shown[i]), width, before[shown[i]],
                        described.target ? fmt::format(" {:>9}", after[shown[i]]) : "");
  if (lines < shown.size())
    text += fmt::format("... and {} more cells (--json has all)\n", shown.size() - lines);
  if (described.description.unseen_cells)
    text += fmt::format("{} of the target lies in cells that the source lacks\n",
                        number(described.description.unseen_cells));
  return text;
}

std::string accuracy_text(const Described& described) {
  const AttributeTable& table = described.target ? *described.target : described.source;
  const Cells cells(table);
  const conds::AccuracyOfCells& accuracy = *described.accuracy;
  const std::size_t lines = std::min(most_lines, accuracy.cells.size());
  std::size_t width = 4;
  for (std::size_t i = 0; i < lines; ++i) width = std::max(width, cells.text(accuracy.cells[i].cell).size());
  std::string text = fmt::format("\n{:<{}} {:>9} {:>8} {}\n", "accuracy, worst first",
                                 std::max<std::size_t>(width, 21), "rows", "accuracy", "interval");
  for (std::size_t i = 0; i < lines; ++i) {
    const conds::CellAccuracy& cell = accuracy.cells[i];
    text += fmt::format("{:<{}} {:>9} {:>8.4f} [{:.4f}, {:.4f}]\n", cells.text(cell.cell),
                        std::max<std::size_t>(width, 21), cell.n, cell.accuracy, cell.interval.low,
                        cell.interval.high);
  }
  if (lines < accuracy.cells.size())
    text += fmt::format("... and {} more cells (--json has all)\n", accuracy.cells.size() - lines);
  return text + fmt::format("that accuracy is the same in all cells: p = {:.4f}\n", accuracy.p);
}

}  // namespace

std::string describe_text(const assess::Described& described, double level) {
  const conds::Description& said = described.description;
  return fmt::format("{} rows{}\n", said.n_source,
                     said.n_target ? fmt::format(" in the source, {} in the target", *said.n_target) : "") +
         findings_text(described, level) + columns_text(said) + cells_text(described) +
         (described.accuracy ? accuracy_text(described) : "");
}

}  // namespace leeway::app
