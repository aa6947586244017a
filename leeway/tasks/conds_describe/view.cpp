// Shifts of labels and attributes (tasks/described_shifts.h): page of leeway conds describe, assessment sections.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

#include "leeway/tasks/conds_describe/conds_describe.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t map_side = 60;              // labels or values; a map of more is unreadable
constexpr std::size_t describe_table_rows = 400;  // cells in the table; the worst come first

Cell measure_cell(const std::optional<Estimate>& measure, const char* why) {
  return fixed_cell(measured(measure), 3, why);
}

Cell percents_cell(const std::optional<Estimate>& share, const char* why) {
  return share_cell(measured(share), why);
}

Cell p_cell(const std::optional<conds::Test>& test, const char* why) {
  return test ? fixed_cell(test->adjusted, 4) : dash_cell(why);
}

Blocks measures_table(const conds::Description& said) {
  using Shift = conds::ColumnShift;
  const char* p = "Permutation test, adjusted by Holm's method over all tests of this table";
  const char *label = "the label itself, or a single value", *alone = "a single value", *target = "no target";
  std::vector<ColumnOf<Shift>> columns = {
      {text_column("Column"), &Shift::name},
      {interval_column("Correlation", "Cramer's V between label and attribute in the source, from 0 to 1"),
       [&](const Shift& one) { return one.sc ? measure_cell(one.sc->source.v, label) : dash_cell(label); }},
      {number_column("p", p),
       [&](const Shift& one) { return p_cell(one.sc ? std::optional(one.sc->test) : std::nullopt, label); }},
      {number_column("In the target", "Cramer's V between label and attribute in the target"),
       [&](const Shift& one) {
         return one.sc && one.sc->target ? fixed_cell(one.sc->target->v.value, 3)
                                         : dash_cell(said.n_target ? label : target);
       }},
      {interval_column(
           "Drift",
           "Total variation distance between the shares in source and target, over the source's values"),
       [&](const Shift& one) {
         return one.drift ? percents_cell(one.drift->distance, alone) : dash_cell(alone);
       }},
      {number_column("p (drift)", p),
       [&](const Shift& one) { return one.drift ? p_cell(one.drift->test, alone) : dash_cell(alone); }},
      {interval_column("Unseen", "Share of the target with values that the source lacks"),
       [&](const Shift& one) {
         return one.unseen ? percents_cell(one.unseen->mass, target) : dash_cell(target);
       }},
      {number_column("p (unseen)", p),
       [&](const Shift& one) { return one.unseen ? p_cell(one.unseen->test, target) : dash_cell(target); }}};
  if (!said.has_label()) columns.erase(columns.begin() + 1, columns.begin() + 4);
  return table_of(said.has_label() ? "The label and every attribute" : "Every attribute", columns,
                  said.columns)
      .block();
}

// A value of a column, and its samples.
struct ValueRow {
  const conds::ColumnShift* column;
  std::size_t value, n_source, n_target;
  double source_share, target_share;

  [[nodiscard]] double moved() const { return std::abs(target_share - source_share); }
};

std::vector<ValueRow> value_rows(const conds::Description& said) {
  const auto share = [](std::size_t count, std::size_t n) {
    return n == 0 ? 0. : static_cast<double>(count) / static_cast<double>(n);
  };
  std::vector<ValueRow> rows;
  for (const conds::ColumnShift& column : said.columns)
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      const std::size_t before = column.source_counts[i], after = said.n_target ? column.target_counts[i] : 0;
      rows.push_back(
          {&column, i, before, after, share(before, said.n_source), share(after, said.n_target.value_or(0))});
    }
  if (said.n_target) std::ranges::stable_sort(rows, std::greater(), &ValueRow::moved);
  return rows;
}

// Of tables without a label, which have no maps: the shares of all values.
Section values_section(const conds::Description& said) {
  std::vector<ValueRow> rows = value_rows(said);
  if (rows.empty()) return {};
  std::string caption = said.n_target ? "Every value, largest change first" : "Every value";
  cut_rows(rows, describe_table_rows, caption);
  std::vector<ColumnOf<ValueRow>> columns = {
      {text_column("Column"), [](const ValueRow& row) { return text_cell(row.column->name); }},
      {text_column("Value"), [](const ValueRow& row) { return text_cell(row.column->values[row.value]); }},
      {number_column(said.n_target ? "Source" : "Share"),
       [](const ValueRow& row) { return percent_cell(row.source_share, 1); }},
      {number_column("Samples"), &ValueRow::n_source}};
  if (said.n_target) {
    columns.push_back(
        {number_column("Target"), [](const ValueRow& row) { return percent_cell(row.target_share, 1); }});
    columns.push_back({number_column("Target samples"), &ValueRow::n_target});
  }
  const ValueRow& first = rows.front();
  return {"values", "Values",
          said.n_target ? fmt::format("{} = {}: {} of the source, {} of the target", first.column->name,
                                      first.column->values[first.value], percent(first.source_share, 1),
                                      percent(first.target_share, 1))
                        : "The shares of every value",
          in_both(table_of(caption, columns, rows).block(2))};
}

using Counts = std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>>;  // part, whole

// Cells summed over all attributes but one: of the label and that attribute.
template <class Cell, class Part>
Counts sums(const conds::Description& said, const std::vector<Cell>& cells, std::size_t attribute,
            const Part& part) {
  const auto place = [&](std::size_t column, const Cell& cell) {
    return place_of(said.columns[column].values, cell.values[column]);
  };
  Counts counts;
  for (const Cell& cell : cells) {
    auto& [sum, whole] = counts[{place(0, cell), place(attribute, cell)}];
    const std::pair<double, double> both = part(cell);
    sum += both.first;
    whole += both.second;
  }
  return counts;
}

// A map of label against attribute. `accurate`: accuracy of each cell, shaded by error.
Chart map_of(const conds::Description& said, std::size_t attribute, const std::string& title,
             const Counts& counts, bool accurate) {
  const conds::ColumnShift &label = said.columns[0], &column = said.columns[attribute];
  double most = 1;
  for (const auto& [place, sums] : counts) most = std::max(most, sums.first);
  Json rows = Json::array();
  for (const auto& [place, sums] : counts) {
    if (sums.second == 0) continue;
    const double share = sums.first / sums.second;
    const auto n = static_cast<std::size_t>(sums.second);
    const std::string number = accurate ? percent(share) : count(n);
    rows.push_back(
        {{"i", place.first},
         {"j", place.second},
         {"shade", brief(accurate ? 1 - share : sums.first / most)},
         {"number", accurate ? brief(share) : Json(n)},
         {"text", number},
         {"words", fmt::format("{}, {}\n{} {}", label.values[place.first], column.values[place.second],
                               number, accurate ? fmt::format("of {} right", count(n)) : "samples")}});
  }
  const std::string against = fmt::format("{} against {}", label.name, column.name);
  return {"cells",
          title,
          against,
          fmt::format("Heat map of {}, {}", against, title),
          {{"cells", std::move(rows)}},
          {{"label", label.name}, {"labels", label.values}, {"values", column.values}}};
}

std::string cell_name(const conds::Description& said, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", said.columns[i].name, values[i]);
  return text;
}

Blocks cells_table(const DescribedShifts& shifts) {
  using One = DescribedCell;
  const conds::Description& said = shifts.description;
  std::vector<ColumnOf<One>> columns;
  for (std::size_t i = 0; i < said.columns.size(); ++i)
    columns.push_back(
        {text_column(said.columns[i].name), [i](const One& cell) { return text_cell(cell.values[i]); }});
  const std::size_t described = columns.size();
  columns.push_back({number_column(said.n_target ? "Source" : "Samples"), &One::n_source});
  if (said.n_target)
    columns.push_back(
        {number_column("Target"), [](const One& cell) { return count_cell(cell.n_target.value_or(0)); }});
  std::vector<One> cells = shifts.cells;
  std::string caption = "Samples of every cell";
  cut_rows(cells, describe_table_rows, caption);
  return folded(fmt::format("Samples of {} cells", count(cells.size())),
                in_both(table_of(caption, columns, cells).block(described)));
}

Section cell_accuracy_section(const DescribedShifts& shifts) {
  using One = CellAccuracy;
  if (!shifts.accuracy || shifts.accuracy->cells.empty()) return {};
  const AccuracyByCell& accuracy = *shifts.accuracy;
  std::vector<ColumnOf<One>> columns;
  for (const conds::ColumnShift& column : shifts.description.columns) {
    const std::size_t i = columns.size();
    columns.push_back({text_column(column.name), [i](const One& cell) { return text_cell(cell.values[i]); }});
  }
  const std::size_t described = columns.size();
  columns.push_back({interval_column("Accuracy", "With its exact interval"), &One::accuracy, "not recorded"});
  columns.push_back({number_column("Samples"), &One::n});
  std::vector<One> cells = accuracy.cells;
  std::string caption = "Accuracy of every cell, worst first";
  cut_rows(cells, describe_table_rows, caption);
  Table table = table_of(caption, columns, cells);
  table.sorted = described;
  return {
      "accuracy", "Accuracy",
      fmt::format("Weakest: {}, {}", cell_name(shifts.description, cells[0].values),
                  value_words(cells[0].accuracy, true)),
      paragraph(fmt::format("Accuracy on all {} samples: {}. Test of equal accuracy in all cells: p = {}.",
                            count(accuracy.n), value_words(accuracy.accuracy, true), fixed(accuracy.p, 4))) +
          in_both(table.block(described))};
}

}  // namespace

static std::string scope_of(const conds::Description& said) {
  return fmt::format(
      "{} samples{}; {} tests", count(said.n_source),
      said.n_target ? fmt::format(" in the source, {} in the target", count(*said.n_target)) : "",
      said.tests);
}

static Blocks further_findings(const conds::Description& said) {
  std::vector<std::string> findings;
  for (std::size_t i = 1; i < said.findings.size(); ++i) findings.push_back(said.findings[i].text);
  return paragraphs({scope_of(said)}, Style::scope) +
         in_both(paragraphs(std::move(findings), Style::findings));
}

static Blocks shift_measures(const DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  return (said.has_label() ? Blocks()
                           : paragraph("The tables have no label: spurious correlations are not tested.")) +
         in_both(measures_table(said));
}

static Section maps_section(const DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  if (!said.has_label()) return values_section(said);
  const auto source = [](const DescribedCell& cell) { return std::pair(cell.n_source, cell.n_source); };
  const auto target = [](const DescribedCell& cell) {
    return std::pair(cell.n_target.value_or(0), cell.n_target.value_or(0));
  };
  const auto right = [](const CellAccuracy& cell) {
    const auto n = static_cast<double>(cell.n);
    return std::pair(n * cell.accuracy.value.value_or(0), n);
  };
  std::vector<ChartChoice> choices;
  std::size_t left_out = 0;
  for (std::size_t i = 1; i < said.columns.size(); ++i) {
    if (said.columns[0].values.size() > map_side || said.columns[i].values.size() > map_side) {
      ++left_out;
      continue;
    }
    ChartChoice& choice = choices.emplace_back(ChartChoice{said.columns[i].name, {}});
    const auto add = [&](const char* title, const auto& cells, const auto& part, bool accurate) {
      choice.charts.push_back(map_of(said, i, title, sums(said, cells, i, part), accurate));
    };
    add(said.n_target ? "Source" : "Samples", shifts.cells, source, false);
    if (said.n_target) add("Target", shifts.cells, target, false);
    if (shifts.accuracy) add("Accuracy", shifts.accuracy->cells, right, true);
  }
  if (choices.empty()) return {};
  return {"cells", "Cells",
          said.unseen_cells ? fmt::format("{} of the target lies in cells that the source lacks",
                                          percent(said.unseen_cells->value, 1))
                            : "The label against every attribute",
          paragraph("Rows are labels, columns are values of an attribute; darker cells have more samples "
                    "(for accuracy: more mistakes). One dark cell in each row is a correlation, a pale "
                    "column is a rare value, an empty column is an unseen value.") +
              chart_grids(choices) + cells_table(shifts) +
              (left_out == 0
                   ? Blocks()
                   : paragraph(fmt::format("{} attributes have too many values for a map.", left_out)))};
}

View view(const CondsDescribe& record) {
  const DescribedShifts& shifts = record.results.front();
  return view_of("shifts of labels and attributes", record.envelope, shift_measures(shifts),
                 {maps_section(shifts), cell_accuracy_section(shifts)}, scope_of(shifts.description));
}

std::vector<Section> shifts_sections(const Assess& record) {
  std::vector<Section> sections;
  for (const auto& [models, target, left_out, shifts] : record.shifts) {
    std::string name = target.empty() ? "the source alone" : "the source against " + target;
    if (models.size() < record.models.size()) name += " (" + list_of(models) + ")";
    Blocks body =
        paragraph("Labels and groups of " + name +
                  ", independent of the models: an attribute correlated with the label can mislead a model, "
                  "a value whose share changes is a drift, and a value that the source lacks is unseen.") +
        further_findings(shifts.description) + shift_measures(shifts) + subsection(maps_section(shifts));
    if (!left_out.empty())
      body += paragraph("Omitted, because they give too many cells: " + list_of(left_out) + ".");
    sections.push_back({fmt::format("shifts-{}", sections.size() + 1),
                        record.shifts.size() > 1 && !target.empty() ? "Shifts: " + target : "Shifts",
                        headline_of(shifts), body});
  }
  return sections;
}

}  // namespace leeway::tasks
