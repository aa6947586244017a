#include "leeway/tasks/described_shifts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "leeway/describe/json.h"
#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway {

static void measured(Fields& f, std::string_view name, Estimate& measure, std::string_view meaning) {
  f.measured(name, measure.value, measure.interval, {}, meaning);
}

static void tested(Fields& f, conds::Test& test) {
  f("p", test.p, a_share, "p-value of a permutation test");
  f("p_holm", test.adjusted, a_share, "p-value adjusted by Holm's method over all tests of the table");
}

static void fields(conds::Correlation& correlation, Fields& f) {
  measured(f, "cramers_v", correlation.v, "Cramer's V between label and attribute");
  measured(f, "mutual_information", correlation.information, "mutual information in nats");
  f("p", correlation.p, a_share, "p-value of the test of independence");
}

static void fields(conds::SpuriousCorrelation& sc, Fields& f) {
  f("source", sc.source, "association between label and attribute in the source");
  f("target", sc.target,
    "association in the target; null without a target or if the target has a single value");
  f.measured("change", sc.change, {}, "Cramer's V in the source minus V in the target");
  tested(f, sc.test);
  auto adjusted = sc.change_test ? std::optional(sc.change_test->adjusted) : std::nullopt;
  f("change_p_holm", adjusted, a_share, "p-value of the hypothesis of no change, adjusted by Holm's method");
  sc.change_test.reset();
  if (adjusted) sc.change_test = conds::Test{1, *adjusted};
}

static void fields(conds::Drift& drift, Fields& f) {
  measured(f, "distance", drift.distance,
           "total variation distance between the shares in source and target, over the source's values");
  tested(f, drift.test);
  f("source_imbalance", drift.source_imbalance, {}, "imbalance of the values' shares in the source");
  f("target_imbalance", drift.target_imbalance, {}, "imbalance in the target; null without a target");
  f("value", drift.value, "value whose share differs most");
  f("source_share", drift.source_share, a_share, "share of this value in the source");
  f("target_share", drift.target_share, a_share,
    "share of this value in the target, among the source's values");
}

static void fields(conds::Unseen& unseen, Fields& f) {
  measured(f, "mass", unseen.mass, "share of the target with values that the source lacks");
  tested(f, unseen.test);
  f("values", unseen.values, "values of the target that the source lacks");
}

static void fields(conds::Finding& finding, Fields& f) {
  using enum conds::ShiftKind;
  f.one_of("kind", finding.kind, std::array{sc, ldd, uds}, "kind of shift");
  f("column", finding.column, "column that shifts");
  f("strength", finding.strength, {}, "V (with a target: change of V), distance or mass");
  f("text", finding.text, "description of the shift");
}

static void fields(conds::ColumnShift& column, Fields& f) {
  f("name", column.name, "name of the label or attribute");
  f("is_label", column.is_label, "true for the label, which is the first column");
  f("values", column.values, "values of the column in either table");
  f("source_counts", column.source_counts, "number of samples of each value in the source");
  f("target_counts", column.target_counts,
    "number of samples of each value in the target; [] without a target");
  f("sc", column.sc,
    "spurious correlation; null for the label, without a label, and if the source has a single value");
  f("ldd", column.drift, "low data drift; null if the source has a single value");
  f("uds", column.unseen, "unseen data shift; null without a target");
}

}  // namespace leeway

namespace leeway::tasks {
namespace {

std::vector<std::string> values_of(const AttributeTable& table, const Cells& cells, std::size_t cell) {
  const auto codes = cells.codes(cell);
  const auto columns = table.columns();
  std::vector<std::string> values;
  for (std::size_t i = 0; i < codes.size(); ++i) values.push_back(columns[i]->values[codes[i]]);
  return values;
}

AccuracyByCell accuracy_of(const AttributeTable& table, const Cells& cells,
                           const conds::AccuracyOfCells& found, double level) {
  AccuracyByCell accuracy;
  std::size_t correct = 0;
  for (const conds::CellAccuracy& cell : found.cells) {
    accuracy.n += cell.n;
    correct += cell.correct;
    accuracy.cells.push_back(
        {values_of(table, cells, cell.cell), cell.n, measured(cell.accuracy, cell.interval)});
  }
  accuracy.accuracy = assess::share(correct, accuracy.n, level);
  accuracy.p = found.p;
  return accuracy;
}

}  // namespace

static void fields(DescribedCell& cell, Fields& f) {
  f("values", cell.values, "value of every column");
  f("n_source", cell.n_source, "number of source samples");
  f("n_target", cell.n_target, "number of target samples; null without a target");
}

static void fields(CellAccuracy& cell, Fields& f) {
  f("values", cell.values, "value of every column");
  f("n", cell.n, "number of samples");
  measured(f, "accuracy", cell.accuracy, a_share, "accuracy");
}

static void fields(AccuracyByCell& accuracy, Fields& f) {
  f("n", accuracy.n, "number of samples");
  measured(f, "accuracy", accuracy.accuracy, a_share, "accuracy");
  f("p", accuracy.p, a_share, "p-value of the permutation test of equal accuracy in all cells");
  f("cells", accuracy.cells, "cells with samples, worst first");
}

void fields(DescribedShifts& shifts, Fields& f) {
  conds::Description& said = shifts.description;
  f("n_source", said.n_source, "number of source samples");
  f("n_target", said.n_target, "number of target samples; null: only the source is described");
  f("tests", said.tests, "number of tests in Holm's adjustment");
  f("findings", said.findings, "significant shifts, strongest first");
  f("columns", said.columns, "the label, if there is one, then the attributes");
  f.measured("unseen_cells", said.unseen_cells, {},
             "share of the target in cells that the source lacks; null without a target");
  f("cells", shifts.cells, "combinations of column values that have samples");
  f("accuracy", shifts.accuracy, "accuracy by cell; null without outputs");
}

DescribedShifts described(const AttributeTable& source, const AttributeTable* target,
                          const conds::Description& description, const conds::AccuracyOfCells* accuracy,
                          double level) {
  DescribedShifts shifts{description, {}, std::nullopt};
  const Cells cells(source);
  const auto before = cells.counts(source);
  std::vector<std::size_t> after(cells.size());
  if (target != nullptr) after = cells.counts(*target);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (before[i] + after[i] > 0)
      shifts.cells.push_back({values_of(source, cells, i), before[i],
                              target != nullptr ? std::optional(after[i]) : std::nullopt});
  if (accuracy != nullptr) shifts.accuracy = accuracy_of(source, cells, *accuracy, level);
  return shifts;
}

void check(const DescribedShifts& shifts, const std::string& name) {
  const auto& columns = shifts.description.columns;
  if (columns.empty()) refuse(name, "at least one column", "none");
  const auto check_values = [&](const std::vector<std::string>& values) {
    if (values.size() != columns.size())
      refuse(name, fmt::format("cells of {} values", columns.size()), values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::ranges::find(columns[i].values, values[i]) == columns[i].values.end())
        refuse(name, fmt::format("a value of column {}", in_quotes(columns[i].name)), in_quotes(values[i]));
  };
  for (const DescribedCell& cell : shifts.cells) check_values(cell.values);
  if (shifts.accuracy)
    for (const CellAccuracy& cell : shifts.accuracy->cells) check_values(cell.values);
  for (const conds::ColumnShift& column : columns) {
    const std::size_t values = column.values.size();
    if (column.source_counts.size() != values ||
        (shifts.description.n_target && column.target_counts.size() != values))
      refuse(name, fmt::format("a count of each of {} values of column {}", values, in_quotes(column.name)),
             fmt::format("{} and {}", column.source_counts.size(), column.target_counts.size()));
    std::vector<std::string> named;
    if (column.unseen) named = column.unseen->values;
    if (column.drift) named.push_back(column.drift->value);
    for (const std::string& value : named)
      if (std::ranges::find(column.values, value) == column.values.end())
        refuse(name, fmt::format("values of column {}", in_quotes(column.name)), "another");
  }
  for (const conds::Finding& finding : shifts.description.findings)
    if (std::ranges::find(columns, finding.column, &conds::ColumnShift::name) == columns.end())
      refuse(name, "findings about existing columns", "another");
}

}  // namespace leeway::tasks
