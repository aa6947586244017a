#include "leeway/report/describe_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/core/message.h"
#include "leeway/report/chart.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

constexpr std::size_t map_side = 60;     // labels or values; a map of more is unreadable
constexpr std::size_t table_rows = 400;  // cells in the table; the worst come first

Measured measured(const std::optional<conds::Measure>& measure) {
  if (!measure) return {};
  return {measure->value, measure->interval.low, measure->interval.high};
}

std::optional<double> adjusted(const std::optional<conds::Test>& test) {
  return test ? std::optional(test->adjusted) : std::nullopt;
}

// "V 0.85 (0.80 to 0.90)" as a cell.
Cell measure_cell(const Measured& measure, const char* why) {
  if (!measure.value) return dash_cell(why);
  Cell cell = number_cell(
      *measure.value, fmt::format("{} <span class=\"iv\">{}–{}</span>", fixed(*measure.value, 3),
                                  fixed(measure.low.value_or(NAN), 3), fixed(measure.high.value_or(NAN), 3)));
  cell.low = measure.low;
  cell.high = measure.high;
  return cell;
}

Cell p_cell(const std::optional<double>& p, const char* why) {
  return p ? number_cell(*p, fixed(*p, 4)) : dash_cell(why);
}

std::string measures_table(const conds::Description& said) {
  const char* p = "Permutation test, adjusted by Holm's method over all tests of this table";
  Table table(
      "The label and every attribute",
      {{"Column", "", false},
       {"Correlation", "Cramer's V of label and attribute in the source, from 0 to 1", true, true},
       {"p", p},
       {"In the target", "Cramer's V there"},
       {"Drift", "Total variation distance of the shares of the values that the source has", true, true},
       {"p (drift)", p},
       {"Unseen", "Share of the target whose value the source never has", true, true},
       {"p (unseen)", p}});
  const char *label = "the label itself, or one value alone", *target = "there is no target";
  for (const conds::ColumnShift& column : said.columns) {
    std::optional<conds::Measure> v, distance, mass;
    std::optional<conds::Test> drift, unseen;
    if (column.source) v = column.source->v;
    if (column.drift) distance = column.drift->distance, drift = column.drift->test;
    if (column.unseen) mass = column.unseen->mass, unseen = column.unseen->test;
    table.add({text_cell(column.name), measure_cell(measured(v), label), p_cell(adjusted(column.sc), label),
               column.target ? number_cell(column.target->v.value, fixed(column.target->v.value, 3))
                             : dash_cell(said.n_target ? label : target),
               measure_cell(measured(distance), "one value alone"),
               p_cell(adjusted(drift), "one value alone"), measure_cell(measured(mass), target),
               p_cell(adjusted(unseen), target)});
  }
  return table.html();
}

using Counts = std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>>;  // part, whole

// Cells summed over all attributes but one: of the label and that attribute.
template <class Cell, class Part>
Counts sums(const conds::Description& said, const std::vector<Cell>& cells, std::size_t attribute,
            const Part& part) {
  const auto place = [&](std::size_t column, const Cell& cell) {
    const auto& values = said.columns[column].values;
    return static_cast<std::size_t>(std::ranges::find(values, cell.values[column]) - values.begin());
  };
  Counts counts;
  for (const Cell& cell : cells) {
    auto& [sum, whole] = counts[{place(0, cell), place(attribute, cell)}];
    const auto [some, all] = part(cell);
    sum += some;
    whole += all;
  }
  return counts;
}

// A map of label against attribute. `accurate`: shares of the cell that are right, shaded by those that are
// wrong.
Chart map_of(const conds::Description& said, std::size_t attribute, const std::string& title,
             const Counts& counts, bool accurate) {
  const conds::ColumnShift &label = said.columns[0], &column = said.columns[attribute];
  Chart chart{"cells", title, fmt::format("{} against {}", label.name, column.name),
              fmt::format("Heat map of {} against {}, {}", label.name, column.name, title)};
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
         {"words", fmt::format("{}, {}\n{}", label.values[place.first], column.values[place.second],
                               accurate ? fmt::format("{} of {} right", number, count(n))
                                        : fmt::format("{} samples", number))}});
  }
  chart.data = {{"cells", std::move(rows)}};
  chart.signals = {{"labels", label.values}, {"values", column.values}};
  chart.numbers = {"cells", {{label.name, "i", "labels"}, {"Value", "j", "values"}, {"Number", "number"}}};
  return chart;
}

std::string cell_name(const conds::Description& said, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", said.columns[i].name, values[i]);
  return text;
}

}  // namespace

std::string shift_measures(const record::DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  std::string list;
  for (std::size_t i = 1; i < said.findings.size(); ++i)
    list += "<li>" + escape(said.findings[i].text) + "</li>\n";
  return fmt::format(
             "<p class=\"scope\">{} samples{}; {} tests</p>\n", count(said.n_source),
             said.n_target ? fmt::format(" in the source, {} in the target", count(*said.n_target)) : "",
             said.tests) +
         (list.empty() ? "" : "<ul class=\"findings\">\n" + list + "</ul>\n") + measures_table(said);
}

Section maps_section(const record::DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  Section section{"cells", "Cells", "", ""};
  std::vector<Choice> choices;
  std::size_t left_out = 0;
  for (std::size_t i = 1; i < said.columns.size(); ++i) {
    if (said.columns[0].values.size() > map_side || said.columns[i].values.size() > map_side) {
      ++left_out;
      continue;
    }
    Choice choice{said.columns[i].name, {}};
    const auto source = [](const record::DescribedCell& cell) {
      return std::pair<double, double>(cell.n_source, cell.n_source);
    };
    const auto target = [](const record::DescribedCell& cell) {
      return std::pair<double, double>(cell.n_target.value_or(0), cell.n_target.value_or(0));
    };
    const auto right = [](const record::CellAccuracy& cell) {
      const auto n = static_cast<double>(cell.n);
      return std::pair<double, double>(n * cell.accuracy.value.value_or(0), n);
    };
    choice.charts.push_back(
        map_of(said, i, said.n_target ? "Source" : "Samples", sums(said, shifts.cells, i, source), false));
    if (said.n_target)
      choice.charts.push_back(map_of(said, i, "Target", sums(said, shifts.cells, i, target), false));
    if (shifts.accuracy)
      choice.charts.push_back(
          map_of(said, i, "Accuracy", sums(said, shifts.accuracy->cells, i, right), true));
    choices.push_back(std::move(choice));
  }
  if (choices.empty()) return section;
  section.heading = said.unseen_cells ? fmt::format("{} of the target lies in cells that the source lacks",
                                                    percent(said.unseen_cells->value, 1))
                                      : std::string("The label against every attribute");
  section.body = paragraph(
                     "Rows are labels, columns the values of an attribute; darker cells hold more samples "
                     "(for accuracy: more "
                     "mistakes). One dark cell in each row is a correlation, a pale column a rare value, an "
                     "empty one an "
                     "unseen value.") +
                 choice_panels_html(choices);
  if (left_out > 0)
    section.body += paragraph(fmt::format("{} attributes have too many values for a map.", left_out));
  return section;
}

Section cell_accuracy_section(const record::DescribedShifts& shifts) {
  Section section{"accuracy", "Accuracy", "", ""};
  if (!shifts.accuracy || shifts.accuracy->cells.empty()) return section;
  const std::vector<conds::ColumnShift>& described = shifts.description.columns;
  const record::AccuracyByCell& accuracy = *shifts.accuracy;
  const record::CellAccuracy& worst = accuracy.cells.front();
  section.heading = fmt::format("Weakest: {}, {}", escape(cell_name(shifts.description, worst.values)),
                                value_words(worst.accuracy, true));
  std::vector<Column> columns;
  for (const conds::ColumnShift& column : described) columns.push_back({column.name, "", false});
  columns.push_back({"Accuracy", "With its exact interval", true, true});
  columns.push_back({"Samples", ""});
  Table table("Accuracy of every cell, worst first", columns);
  for (std::size_t i = 0; i < std::min(table_rows, accuracy.cells.size()); ++i) {
    const record::CellAccuracy& cell = accuracy.cells[i];
    std::vector<Cell> row;
    for (const std::string& value : cell.values) row.push_back(text_cell(value));
    row.push_back(share_cell(cell.accuracy, "not recorded"));
    row.push_back(count_cell(cell.n));
    table.add(std::move(row));
  }
  table.sorted_by(described.size(), true);
  section.body =
      paragraph(fmt::format("On all {} samples {}. That accuracy is the same in all cells: p = {}.",
                            count(accuracy.n), value_words(accuracy.accuracy, true), fixed(accuracy.p, 4))) +
      table.html(described.size());
  if (accuracy.cells.size() > table_rows)
    section.body += paragraph(
        fmt::format("The record holds the other {} cells.", count(accuracy.cells.size() - table_rows)));
  return section;
}

}  // namespace leeway::report
