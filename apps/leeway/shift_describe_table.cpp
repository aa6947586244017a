#include "apps/leeway/shift_describe_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"

namespace leeway::app {
namespace {

using shift::AttributeTable;
using shift::ColumnShift;
using shift::Measure;

constexpr std::size_t most_lines = 60, most_findings = 3;

void add(Json& to, const std::string& name, const Measure& measure) {
  to[name] = json_number(measure.value);
  to[name + "_low"] = json_number(measure.interval.low);
  to[name + "_high"] = json_number(measure.interval.high);
}

void add(Json& to, const shift::Test& test) {
  to["p"] = test.p;
  to["p_holm"] = test.adjusted;
}

Json to_json(const shift::Correlation& correlation) {
  Json result = Json::object();
  add(result, "cramers_v", correlation.v);
  add(result, "mutual_information", correlation.information);
  result["p"] = correlation.p;
  return result;
}

Json to_json(const ColumnShift& column) {
  Json result = {{"name", column.name},
                 {"is_label", column.is_label},
                 {"values", column.values},
                 {"source_counts", column.source_counts},
                 {"target_counts", column.target_counts.empty() ? Json() : Json(column.target_counts)}};
  Json sc, ldd, uds;
  if (column.source) {
    sc = {{"source", to_json(*column.source)}, {"target", column.target ? to_json(*column.target) : Json()}};
    if (column.change)
      add(sc, "change", *column.change);
    else
      sc["change"] = nullptr;
    add(sc, *column.sc);
    sc["change_p_holm"] = column.change_test ? Json(column.change_test->adjusted) : Json();
  }
  if (column.drift) {
    const shift::Drift& drift = *column.drift;
    ldd = Json::object();
    add(ldd, "distance", drift.distance);
    add(ldd, drift.test);
    ldd["source_imbalance"] = drift.source_imbalance;
    ldd["target_imbalance"] = drift.target_imbalance ? Json(*drift.target_imbalance) : Json();
    ldd["value"] = column.values[drift.value];
    ldd["source_share"] = drift.source_share;
    ldd["target_share"] = drift.target_share;
  }
  if (column.unseen) {
    uds = Json::object();
    add(uds, "mass", column.unseen->mass);
    add(uds, column.unseen->test);
    Json values = Json::array();
    for (const std::size_t value : column.unseen->values) values.push_back(column.values[value]);
    uds["values"] = std::move(values);
  }
  result["sc"] = std::move(sc);
  result["ldd"] = std::move(ldd);
  result["uds"] = std::move(uds);
  return result;
}

Json values_of(const AttributeTable& table, const shift::Cells& cells, std::size_t cell) {
  const auto codes = cells.codes(cell);
  Json values = Json::array({table.label.values[codes[0]]});
  for (std::size_t i = 1; i < codes.size(); ++i) values.push_back(table.attributes[i - 1].values[codes[i]]);
  return values;
}

std::string number(const std::optional<Measure>& measure) {
  return measure ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", measure->value, measure->interval.low,
                               measure->interval.high)
                 : "-";
}

std::string chance(const std::optional<shift::Test>& test) {
  return test ? fmt::format("{:.4f}", test->adjusted) : "-";
}

std::string findings_text(const Described& described, double level) {
  const shift::Description& said = described.description;
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

std::string columns_text(const shift::Description& said) {
  std::size_t width = 6;
  for (const ColumnShift& column : said.columns) width = std::max(width, printable(column.name).size());
  std::string text = fmt::format("\n{:<{}}  {:<21} {:>7} {:>7}  {:<21} {:>7}  {:<21} {:>7}\n", "column",
                                 width, "SC: V in the source", "p", said.n_target ? "target" : "",
                                 "LDD: distance", "p", "UDS: unseen mass", "p");
  for (const ColumnShift& column : said.columns) {
    std::optional<Measure> v, distance, mass;
    std::optional<shift::Test> independence, shares, unseen;
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
  const shift::Cells cells(described.source);
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
  const shift::Cells cells(table);
  const shift::AccuracyOfCells& accuracy = *described.accuracy;
  const std::size_t lines = std::min(most_lines, accuracy.cells.size());
  std::size_t width = 4;
  for (std::size_t i = 0; i < lines; ++i) width = std::max(width, cells.text(accuracy.cells[i].cell).size());
  std::string text = fmt::format("\n{:<{}} {:>9} {:>8} {}\n", "accuracy, worst first",
                                 std::max<std::size_t>(width, 21), "rows", "accuracy", "interval");
  for (std::size_t i = 0; i < lines; ++i) {
    const shift::CellAccuracy& cell = accuracy.cells[i];
    text += fmt::format("{:<{}} {:>9} {:>8.4f} [{:.4f}, {:.4f}]\n", cells.text(cell.cell),
                        std::max<std::size_t>(width, 21), cell.n, cell.accuracy, cell.interval.low,
                        cell.interval.high);
  }
  if (lines < accuracy.cells.size())
    text += fmt::format("... and {} more cells (--json has all)\n", accuracy.cells.size() - lines);
  return text + fmt::format("that accuracy is the same in all cells: p = {:.4f}\n", accuracy.p);
}

}  // namespace

Json describe_json(const Described& described, double level) {
  const shift::Description& said = described.description;
  Json columns = Json::array(), findings = Json::array(), cell_list = Json::array(), accuracy;
  for (const ColumnShift& column : said.columns) columns.push_back(to_json(column));
  for (const shift::Finding& finding : said.findings)
    findings.push_back({{"kind", shift::name_of(finding.kind)},
                        {"column", said.columns[finding.column].name},
                        {"strength", finding.strength},
                        {"text", finding.text}});
  const shift::Cells cells(described.source);
  const auto before = cells.counts(described.source);
  std::vector<std::size_t> after(cells.size());
  if (described.target) after = cells.counts(*described.target);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (before[i] + after[i] > 0)
      cell_list.push_back({{"values", values_of(described.source, cells, i)},
                           {"n_source", before[i]},
                           {"n_target", described.target ? Json(after[i]) : Json()}});
  if (described.accuracy) {
    Json list = Json::array();
    std::size_t n = 0, correct = 0;
    for (const shift::CellAccuracy& cell : described.accuracy->cells) {
      n += cell.n;
      correct += cell.correct;
      list.push_back({{"values", values_of(described.source, cells, cell.cell)},
                      {"n", cell.n},
                      {"accuracy", cell.accuracy},
                      {"accuracy_low", cell.interval.low},
                      {"accuracy_high", cell.interval.high}});
    }
    const Interval interval = clopper_pearson(correct, n, level);
    accuracy = {{"n", n},
                {"accuracy", static_cast<double>(correct) / static_cast<double>(n)},
                {"accuracy_low", interval.low},
                {"accuracy_high", interval.high},
                {"p", described.accuracy->p},
                {"cells", std::move(list)}};
  }
  Json result = {{"n_source", said.n_source},
                 {"n_target", said.n_target ? Json(*said.n_target) : Json()},
                 {"tests", said.tests},
                 {"findings", std::move(findings)},
                 {"columns", std::move(columns)}};
  if (said.unseen_cells)
    add(result, "unseen_cells", *said.unseen_cells);
  else
    result["unseen_cells"] = nullptr;
  result["cells"] = std::move(cell_list);
  result["accuracy"] = std::move(accuracy);
  return result;
}

std::string describe_text(const Described& described, double level) {
  const shift::Description& said = described.description;
  return fmt::format("{} rows{}\n", said.n_source,
                     said.n_target ? fmt::format(" in the source, {} in the target", *said.n_target) : "") +
         findings_text(described, level) + columns_text(said) + cells_text(described) +
         (described.accuracy ? accuracy_text(described) : "");
}

}  // namespace leeway::app
