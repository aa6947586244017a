#include "leeway/record/conds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/record/json.h"
#include "leeway/record/measured.h"

namespace leeway::record {
namespace {

using conds::ColumnShift;
using conds::Measure;
using conds::ShiftKind;

void measured(Fields& f, std::string_view name, Measure& measure, std::string_view meaning) {
  f.measured(name, measure.value, measure.interval, {}, meaning);
}

void measured(Fields& f, std::string_view name, std::optional<Measure>& measure, std::string_view meaning) {
  std::optional<double> value;
  std::optional<Interval> interval;
  if (measure) value = measure->value, interval = measure->interval;
  f.measured(name, value, interval, {}, meaning);
  measure.reset();
  if (value) measure = Measure{*value, interval.value_or(Interval{NAN, NAN})};
}

void tested(Fields& f, conds::Test& test) {
  f("p", test.p, share, "of a permutation test");
  f("p_holm", test.adjusted, share, "adjusted by Holm's method over all tests of the table");
}

std::string name_at(const std::vector<std::string>& names, std::size_t i) {
  return i < names.size() ? names[i] : "";
}

// The number of names where it is none of them.
std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// What a column says of one kind of shift, with the names of values.
struct Correlations {
  conds::Correlation source;
  std::optional<conds::Correlation> target;
  std::optional<Measure> change;
  conds::Test test;
  std::optional<double> change_adjusted;
};

struct NamedDrift {
  conds::Drift drift;
  std::string value;
};

struct NamedUnseen {
  conds::Unseen unseen;
  std::vector<std::string> values;
};

struct NamedFinding {
  conds::Finding finding{};
  std::string column;
};

void fields(Correlations& sc, Fields& f);
void fields(NamedDrift& ldd, Fields& f);
void fields(NamedUnseen& uds, Fields& f);
void fields(NamedFinding& named, Fields& f);

}  // namespace

static void fields(conds::Correlation& correlation, Fields& f) {
  measured(f, "cramers_v", correlation.v, "Cramer's V of label and attribute");
  measured(f, "mutual_information", correlation.information, "in nats");
  f("p", correlation.p, share, "that the two are independent");
}

static void fields(ColumnShift& column, Fields& f) {
  f("name", column.name, "of the label or the attribute");
  f("is_label", column.is_label, "true of the first column where there is a label");
  f("values", column.values, "that the column has in either table");
  f("source_counts", column.source_counts, "samples of each value in the source");
  f("target_counts", column.target_counts, "in the target; [] without one");
  std::optional<Correlations> sc;
  if (column.source)
    sc = Correlations{*column.source, column.target, column.change, column.sc.value_or(conds::Test{}),
                      column.change_test ? std::optional(column.change_test->adjusted) : std::nullopt};
  std::optional<NamedDrift> ldd;
  if (column.drift) ldd = NamedDrift{*column.drift, name_at(column.values, column.drift->value)};
  std::optional<NamedUnseen> uds;
  if (column.unseen) {
    uds = NamedUnseen{*column.unseen, {}};
    for (const std::size_t value : column.unseen->values)
      uds->values.push_back(name_at(column.values, value));
  }
  f("sc", sc,
    "spurious correlation; null of the label, without one, and where the source has one value alone");
  f("ldd", ldd, "low data drift; null where the source has one value alone");
  f("uds", uds, "unseen data shift; null without a target");
  column.source.reset(), column.target.reset(), column.change.reset(), column.sc.reset();
  column.change_test.reset(), column.drift.reset(), column.unseen.reset();
  if (sc) {
    column.source = sc->source, column.target = sc->target, column.change = sc->change, column.sc = sc->test;
    if (sc->change_adjusted) column.change_test = conds::Test{1, *sc->change_adjusted};
  }
  if (ldd) {
    column.drift = ldd->drift;
    column.drift->value = place_of(column.values, ldd->value);
  }
  if (uds) {
    column.unseen = uds->unseen;
    column.unseen->values.clear();
    for (const std::string& value : uds->values)
      column.unseen->values.push_back(place_of(column.values, value));
  }
}

namespace {

void fields(Correlations& sc, Fields& f) {
  f("source", sc.source, "of label and attribute in the source");
  f("target", sc.target, "in the target; null without one, and where it has one value alone");
  measured(f, "change", sc.change, "V of the source less that of the target");
  tested(f, sc.test);
  f("change_p_holm", sc.change_adjusted, share, "that the change is 0, adjusted by Holm's method");
}

void fields(NamedDrift& ldd, Fields& f) {
  measured(f, "distance", ldd.drift.distance,
           "total variation distance of the shares of the values that the source has");
  tested(f, ldd.drift.test);
  f("source_imbalance", ldd.drift.source_imbalance, {}, "of the values' shares in the source");
  f("target_imbalance", ldd.drift.target_imbalance, {}, "in the target; null without one");
  f("value", ldd.value, "whose share differs most");
  f("source_share", ldd.drift.source_share, share, "of that value, among the values that the source has");
  f("target_share", ldd.drift.target_share, share, "of that value, among the values that the source has");
}

void fields(NamedUnseen& uds, Fields& f) {
  measured(f, "mass", uds.unseen.mass, "share of the target whose value the source never has");
  tested(f, uds.unseen.test);
  f("values", uds.values, "that the target has and the source has not");
}

void fields(NamedFinding& named, Fields& f) {
  std::string kind(conds::name_of(named.finding.kind));
  std::vector<Choice> kinds;
  for (const ShiftKind each : {ShiftKind::sc, ShiftKind::ldd, ShiftKind::uds})
    kinds.push_back({std::string(conds::name_of(each)), ""});
  f.choice("kind", kind, std::move(kinds), "of shift");
  f("column", named.column, "that shifts");
  f("strength", named.finding.strength, {}, "V (its change where there is a target), distance or mass");
  f("text", named.finding.text, "in plain words");
  for (const ShiftKind each : {ShiftKind::sc, ShiftKind::ldd, ShiftKind::uds})
    if (conds::name_of(each) == kind) named.finding.kind = each;
}

std::vector<std::string> column_names(const conds::Description& description) {
  std::vector<std::string> names;
  for (const ColumnShift& column : description.columns) names.push_back(column.name);
  return names;
}

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
        {values_of(table, cells, cell.cell), cell.n, {cell.accuracy, cell.interval.low, cell.interval.high}});
  }
  const Interval interval = clopper_pearson(correct, accuracy.n, level);
  accuracy.accuracy = {static_cast<double>(correct) / static_cast<double>(accuracy.n), interval.low,
                       interval.high};
  accuracy.p = found.p;
  return accuracy;
}

}  // namespace

static void fields(DescribedCell& cell, Fields& f) {
  f("values", cell.values, "of every column");
  f("n_source", cell.n_source, "samples of the source");
  f("n_target", cell.n_target, "of the target; null without one");
}

static void fields(CellAccuracy& cell, Fields& f) {
  f("values", cell.values, "of every column");
  f("n", cell.n, "samples");
  measured(f, "accuracy", cell.accuracy, share, "share that is right");
}

static void fields(AccuracyByCell& accuracy, Fields& f) {
  f("n", accuracy.n, "samples");
  measured(f, "accuracy", accuracy.accuracy, share, "share that is right");
  f("p", accuracy.p, share, "that accuracy does not depend on the cell: a permutation test");
  f("cells", accuracy.cells, "those with samples, worst first");
}

void fields(DescribedShifts& shifts, Fields& f) {
  conds::Description& said = shifts.description;
  std::vector<std::string> names = column_names(said);
  std::vector<NamedFinding> findings;
  for (const conds::Finding& finding : said.findings)
    findings.push_back({finding, name_at(names, finding.column)});
  f("n_source", said.n_source, "samples of the source");
  f("n_target", said.n_target, "of the target; null: the source alone is described");
  f("tests", said.tests, "that Holm's method adjusts for");
  f("findings", findings, "shifts beyond chance, strongest first");
  f("columns", said.columns, "the label where there is one, then the attributes");
  measured(f, "unseen_cells", said.unseen_cells,
           "share of the target in cells that the source lacks; null without a target");
  f("cells", shifts.cells, "combinations of values of all columns that have samples");
  f("accuracy", shifts.accuracy, "by cell; null without outputs");
  names = column_names(said);
  said.findings.clear();
  for (NamedFinding& named : findings) {
    named.finding.column = place_of(names, named.column);
    said.findings.push_back(std::move(named.finding));
  }
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

Json to_json(const DescribedShifts& shifts) {
  DescribedShifts copy = shifts;
  return written([&](Fields& f) { fields(copy, f); });
}

void check(const DescribedShifts& shifts, const std::string& name) {
  const auto& columns = shifts.description.columns;
  if (columns.empty()) refuse(name, "at least one column", "none");
  const auto check_values = [&](const std::vector<std::string>& values) {
    if (values.size() != columns.size())
      refuse(name, fmt::format("cells of {} values", columns.size()), fmt::format("{}", values.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::ranges::find(columns[i].values, values[i]) == columns[i].values.end())
        refuse(name, fmt::format("a value of column {}", in_quotes(columns[i].name)), in_quotes(values[i]));
  };
  for (const DescribedCell& cell : shifts.cells) check_values(cell.values);
  if (shifts.accuracy)
    for (const CellAccuracy& cell : shifts.accuracy->cells) check_values(cell.values);
  for (const ColumnShift& column : columns) {
    const std::size_t values = column.values.size();
    if (column.source_counts.size() != values ||
        (shifts.description.n_target && column.target_counts.size() != values))
      refuse(name, fmt::format("a count of each of {} values of column {}", values, in_quotes(column.name)),
             fmt::format("{} and {}", column.source_counts.size(), column.target_counts.size()));
    std::vector<std::size_t> places;
    if (column.unseen) places = column.unseen->values;
    if (column.drift) places.push_back(column.drift->value);
    for (const std::size_t place : places)
      if (place >= column.values.size())
        refuse(name, fmt::format("values of column {}", in_quotes(column.name)), "another");
  }
  for (const conds::Finding& finding : shifts.description.findings)
    if (finding.column >= columns.size()) refuse(name, "findings of columns that there are", "another");
}

}  // namespace leeway::record
