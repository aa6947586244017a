#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/conds_tables.h"
#include "leeway/core/message.h"

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

std::string chance(const std::optional<conds::Test>& test) {
  return test ? fmt::format("{:.4f}", test->adjusted) : "-";
}

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

std::string cells_text(const record::DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  const bool target = said.n_target.has_value();
  const std::size_t lines = std::min(most_lines, shifts.cells.size());
  std::vector<std::string> names;
  std::size_t width = 4;
  for (std::size_t i = 0; i < lines; ++i) {
    names.push_back(name_of(said, shifts.cells[i].values));
    width = std::max(width, names[i].size());
  }
  std::string text = fmt::format("\n{:<{}} {:>9}{}\n", "cell", width, target ? "source" : "rows",
                                 target ? fmt::format(" {:>9}", "target") : "");
  for (std::size_t i = 0; i < lines; ++i)
    text += fmt::format("{:<{}} {:>9}{}\n", names[i], width, shifts.cells[i].n_source,
                        target ? fmt::format(" {:>9}", shifts.cells[i].n_target.value_or(0)) : "");
  if (lines < shifts.cells.size())
    text += fmt::format("... and {} more cells (--json has all)\n", shifts.cells.size() - lines);
  if (said.unseen_cells)
    text += fmt::format("{} of the target lies in cells that the source lacks\n", number(said.unseen_cells));
  return text;
}

std::string accuracy_text(const record::DescribedShifts& shifts) {
  const record::AccuracyByCell& accuracy = *shifts.accuracy;
  const std::size_t lines = std::min(most_lines, accuracy.cells.size());
  std::vector<std::string> names;
  std::size_t width = 21;
  for (std::size_t i = 0; i < lines; ++i) {
    names.push_back(name_of(shifts.description, accuracy.cells[i].values));
    width = std::max(width, names[i].size());
  }
  std::string text = fmt::format("\n{:<{}} {:>9} {:>8} {}\n", "accuracy, worst first", width, "rows",
                                 "accuracy", "interval");
  for (std::size_t i = 0; i < lines; ++i) {
    const record::CellAccuracy& cell = accuracy.cells[i];
    text += fmt::format("{:<{}} {:>9} {:>8.4f} [{:.4f}, {:.4f}]\n", names[i], width, cell.n,
                        *cell.accuracy.value, *cell.accuracy.low, *cell.accuracy.high);
  }
  if (lines < accuracy.cells.size())
    text += fmt::format("... and {} more cells (--json has all)\n", accuracy.cells.size() - lines);
  return text + fmt::format("that accuracy is the same in all cells: p = {:.4f}\n", accuracy.p);
}

}  // namespace

std::string conds_describe_text(const record::CondsDescribe& record) {
  const record::DescribedShifts& shifts = record.results.front();
  const conds::Description& said = shifts.description;
  return fmt::format("{} rows{}\n", said.n_source,
                     said.n_target ? fmt::format(" in the source, {} in the target", *said.n_target) : "") +
         findings_text(said, record.options.level) + columns_text(said) + cells_text(shifts) +
         (shifts.accuracy ? accuracy_text(shifts) : "");
}

}  // namespace leeway::app
