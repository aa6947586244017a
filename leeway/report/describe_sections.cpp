#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/core/message.h"
#include "leeway/report/chart.h"
#include "leeway/report/describe_record.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

constexpr std::size_t map_side = 60;     // labels or values; a map of more is unreadable
constexpr std::size_t table_rows = 400;  // cells in the table; the worst come first

Measured measured(const JsonView& view, const std::string& name) {
  return {view[name].number(), view[name + "_low"].number(), view[name + "_high"].number()};
}

DescribedColumn read_column(const JsonView& view) {
  DescribedColumn column;
  column.name = view["name"].text();
  column.values = view["values"].texts();
  const JsonView sc = view["sc"], ldd = view["ldd"], uds = view["uds"];
  column.v = measured(sc["source"], "cramers_v");
  column.v_p = sc["p_holm"].share();
  column.target_v = measured(sc["target"], "cramers_v");
  column.distance = measured(ldd, "distance");
  column.distance_p = ldd["p_holm"].share();
  column.drifting = ldd["value"].text();
  column.source_share = ldd["source_share"].share();
  column.target_share = ldd["target_share"].share();
  column.mass = measured(uds, "mass");
  column.mass_p = uds["p_holm"].share();
  return column;
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

std::string measures_table(const Description& said) {
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
  for (const DescribedColumn& column : said.columns)
    table.add({text_cell(column.name), measure_cell(column.v, label), p_cell(column.v_p, label),
               column.target_v.value ? number_cell(*column.target_v.value, fixed(*column.target_v.value, 3))
                                     : dash_cell(said.n_target ? label : target),
               measure_cell(column.distance, "one value alone"), p_cell(column.distance_p, "one value alone"),
               measure_cell(column.mass, target), p_cell(column.mass_p, target)});
  return table.html();
}

using Counts = std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>>;  // part, whole

// Cells summed over all attributes but one: of the label and that attribute.
template <class Part>
Counts sums(const Description& said, const std::vector<DescribedCell>& cells, std::size_t attribute,
            const Part& part) {
  const auto place = [&](std::size_t column, const DescribedCell& cell) {
    const auto& values = said.columns[column].values;
    return static_cast<std::size_t>(std::ranges::find(values, cell.values[column]) - values.begin());
  };
  Counts counts;
  for (const DescribedCell& cell : cells) {
    auto& [sum, whole] = counts[{place(0, cell), place(attribute, cell)}];
    const auto [some, all] = part(cell);
    sum += some;
    whole += all;
  }
  return counts;
}

// A map of label against attribute. `accurate`: shares of the cell that are right, shaded by those that are
// wrong.
Chart map_of(const Description& said, std::size_t attribute, const std::string& title, const Counts& counts,
             bool accurate) {
  const DescribedColumn &label = said.columns[0], &column = said.columns[attribute];
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

std::string cell_name(const Description& said, const DescribedCell& cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.values.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", said.columns[i].name, cell.values[i]);
  return text;
}

}  // namespace

Description read_description(const JsonView& view) {
  Description out;
  out.n_source = view["n_source"].index().value_or(0);
  out.n_target = view["n_target"].index();
  out.tests = view["tests"].index().value_or(0);
  for (const JsonView& finding : view["findings"].items()) out.findings.push_back(finding["text"].text());
  for (const JsonView& column : view["columns"].items()) out.columns.push_back(read_column(column));
  if (out.columns.empty()) view["columns"].refuse("at least one column", "none");
  const auto values_of = [&](const JsonView& cell) {
    auto values = cell["values"].texts();
    if (values.size() != out.columns.size())
      cell["values"].refuse(fmt::format("{} values", out.columns.size()), fmt::format("{}", values.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::ranges::find(out.columns[i].values, values[i]) == out.columns[i].values.end())
        cell["values"].refuse(fmt::format("a value of column {}", in_quotes(out.columns[i].name)),
                              in_quotes(values[i]));
    return values;
  };
  for (const JsonView& cell : view["cells"].items())
    out.cells.push_back(
        {values_of(cell), cell["n_source"].index().value_or(0), cell["n_target"].index().value_or(0), 0, {}});
  out.unseen_cells = measured(view, "unseen_cells");
  const JsonView accuracy = view["accuracy"];
  out.n_accuracy = accuracy["n"].index();
  out.accuracy = measured(accuracy, "accuracy");
  out.accuracy_p = accuracy["p"].share();
  for (const JsonView& cell : accuracy["cells"].items())
    out.accuracies.push_back(
        {values_of(cell), 0, 0, cell["n"].index().value_or(0), measured(cell, "accuracy")});
  return out;
}

std::string strongest_shift(const Description& said) {
  if (said.findings.empty())
    return fmt::format("No shift is found. None of {} tests is beyond chance.", said.tests);
  std::string first = said.findings.front();
  if (first.empty()) return "";
  first[0] = first[0] >= 'a' && first[0] <= 'z' ? static_cast<char>(first[0] - 'a' + 'A') : first[0];
  return first + ".";
}

std::string shift_measures(const Description& said) {
  std::string list;
  for (std::size_t i = 1; i < said.findings.size(); ++i)
    list += "<li>" + escape(said.findings[i]) + "</li>\n";
  return fmt::format(
             "<p class=\"scope\">{} samples{}; {} tests</p>\n", count(said.n_source),
             said.n_target ? fmt::format(" in the source, {} in the target", count(*said.n_target)) : "",
             said.tests) +
         (list.empty() ? "" : "<ul class=\"findings\">\n" + list + "</ul>\n") + measures_table(said);
}

Section maps_section(const Description& said) {
  Section section{"cells", "Cells", "", ""};
  std::vector<Choice> choices;
  std::size_t left_out = 0;
  for (std::size_t i = 1; i < said.columns.size(); ++i) {
    if (said.columns[0].values.size() > map_side || said.columns[i].values.size() > map_side) {
      ++left_out;
      continue;
    }
    Choice choice{said.columns[i].name, {}};
    const auto source = [](const DescribedCell& cell) {
      return std::pair<double, double>(cell.source, cell.source);
    };
    const auto target = [](const DescribedCell& cell) {
      return std::pair<double, double>(cell.target, cell.target);
    };
    const auto right = [](const DescribedCell& cell) {
      const auto n = static_cast<double>(cell.n);
      return std::pair<double, double>(n * cell.accuracy.value.value_or(0), n);
    };
    choice.charts.push_back(
        map_of(said, i, said.n_target ? "Source" : "Samples", sums(said, said.cells, i, source), false));
    if (said.n_target)
      choice.charts.push_back(map_of(said, i, "Target", sums(said, said.cells, i, target), false));
    if (!said.accuracies.empty())
      choice.charts.push_back(map_of(said, i, "Accuracy", sums(said, said.accuracies, i, right), true));
    choices.push_back(std::move(choice));
  }
  if (choices.empty()) return section;
  section.heading = said.unseen_cells.value
                        ? fmt::format("{} of the target lies in cells that the source lacks",
                                      percent(*said.unseen_cells.value, 1))
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

Section cell_accuracy_section(const Description& said) {
  Section section{"accuracy", "Accuracy", "", ""};
  if (said.accuracies.empty()) return section;
  const DescribedCell& worst = said.accuracies.front();
  section.heading =
      fmt::format("Weakest: {}, {}", escape(cell_name(said, worst)), value_words(worst.accuracy, true));
  std::vector<Column> columns;
  for (const DescribedColumn& column : said.columns) columns.push_back({column.name, "", false});
  columns.push_back({"Accuracy", "With its exact interval", true, true});
  columns.push_back({"Samples", ""});
  Table table("Accuracy of every cell, worst first", columns);
  for (std::size_t i = 0; i < std::min(table_rows, said.accuracies.size()); ++i) {
    const DescribedCell& cell = said.accuracies[i];
    std::vector<Cell> row;
    for (const std::string& value : cell.values) row.push_back(text_cell(value));
    row.push_back(share_cell(cell.accuracy, "not recorded"));
    row.push_back(count_cell(cell.n));
    table.add(std::move(row));
  }
  table.sorted_by(said.columns.size(), true);
  section.body =
      paragraph(fmt::format("On all {} samples {}. That accuracy is the same in all cells: p = {}.",
                            count(said.n_accuracy.value_or(0)), value_words(said.accuracy, true),
                            fixed(said.accuracy_p.value_or(NAN), 4))) +
      table.html(said.columns.size());
  if (said.accuracies.size() > table_rows)
    section.body += paragraph(
        fmt::format("The record holds the other {} cells.", count(said.accuracies.size() - table_rows)));
  return section;
}

}  // namespace leeway::report
