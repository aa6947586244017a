// What was chosen by validation, what other ways of choosing would have got, and criteria and test accuracy by epoch.
#include <fmt/format.h>

#include <map>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"
#include "leeway/tasks/sweep/view.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t most_rows = 1000;

// Epochs are compared by the test accuracy that their training noted.
std::string measure_of(const SweepReport& record, const std::string& chooses) {
  return chooses == "epoch" ? "test accuracy" : record.roles.measure;
}

std::string way_name(const SweepWay& way) {
  return way.chooses == "epoch" && way.way != "oracle" ? curve_name(way.way) : way.way;
}

Blocks choice_table(const SweepReport& record) {
  const bool share = record.roles.is_share;
  std::vector<ColumnOf<SweepChoice>> columns = {
      algorithm_column<SweepChoice>(),
      case_column<SweepChoice>(),
      {text_column("Chosen"), [](const SweepChoice& one) { return text_cell(chosen_text(one.chosen)); }},
      {number_column(record.roles.validation, "Mean over the seeds of the grid"),
       [&](const SweepChoice& one) {
         return share ? percent_cell(one.validation, 1) : significant_cell(one.validation, 4);
       }},
      {number_column("Margin", "Difference from the next candidate"),
       [&](const SweepChoice& one) {
         if (!one.margin) return dash_cell("a single candidate");
         return number_cell(*one.margin, share ? fixed(100 * *one.margin, 2) : significant(*one.margin, 2));
       }},
      {number_column("Candidates"), &SweepChoice::candidates},
      {number_column("Left out", "Combinations without a validation value for every seed of the grid"),
       &SweepChoice::left_out},
      {number_column("Seeds", "Seeds of the grid"),
       [](const SweepChoice& one) { return count_cell(one.seeds.size()); }}};
  std::size_t headers = 2;
  if (std::ranges::any_of(record.choices, [](const SweepChoice& one) { return !one.setting.empty(); })) {
    columns.insert(columns.begin() + 2, {text_column("Setting"), [](const SweepChoice& one) {
                                           return text_cell(one.setting.empty() ? "all" : one.setting);
                                         }});
    ++headers;
  }
  std::vector<const SweepChoice*> rows;
  for (const SweepChoice& choice : record.choices) rows.push_back(&choice);
  std::string caption = "Hyperparameters selected by validation";
  cut_rows(rows, most_rows, caption);
  return table_with_start(record, caption, columns, rows, headers);
}

std::vector<Chart> way_charts(const SweepReport& record, const std::string& chooses) {
  std::vector<Chart> charts;
  for (const std::string& start : record.starts) {
    std::vector<OverviewRow> rows;
    std::vector<std::string> ways;
    for (const SweepWay& way : record.ways) {
      if (way.chooses != chooses || way.start != start) continue;
      append_new(ways, way_name(way));
      if (const std::size_t slot = place_of(ways, way_name(way)); slot < series)
        rows.push_back(
            {algorithm_name(way.algorithm), way_name(way), slot, way.value.mean, {}, way.value.runs});
    }
    if (!rows.empty())
      charts.push_back(overview_chart(with_start(record, measure_of(record, chooses), start),
                                      chooses + " selected by each criterion", rows,
                                      std::min(series, ways.size()), record.roles.is_share));
  }
  return charts;
}

Blocks ways_part(const SweepReport& record, const std::string& chooses) {
  std::vector<const SweepWay*> rows;
  std::vector<std::string> ways;
  for (const SweepWay& way : record.ways)
    if (way.chooses == chooses) rows.push_back(&way), append_new(ways, way_name(way));
  if (rows.empty()) return {};
  using One = SweepWay;
  const std::string reference = ways.front();
  ways.resize(std::min(series, ways.size()));
  return chart_grid(way_charts(record, chooses)) + model_legend(ways) +
         table_with_start<One>(
             record,
             fmt::format("Criteria to select {}", chooses == "hyper-parameters" ? chooses : "the " + chooses),
             {algorithm_column<One>(),
              {text_column("Selected by"), [](const One& one) { return text_cell(way_name(one)); }},
              value_column<One>(record, measure_of(record, chooses)),
              change_column<One>(record, "Compared with the first criterion, paired",
                                 [&](const One& one) { return way_name(one) == reference; }),
              seeds_column(&One::value),
              runs_column(&One::value)},
             rows, 2);
}

// -- By epoch

bool is_share(const std::string& column) { return column.find("accuracy") != std::string::npos; }

Line line_of(const SweepCurve& curve, std::size_t slot) {
  const bool share = is_share(curve.column);
  Line line{curve_name(curve.column), slot, {}};
  for (const SweepCurve::Point& point : curve.points)
    line.points.push_back({static_cast<double>(point.epoch), point.value.mean, std::to_string(point.epoch),
                           fmt::format("validation {}: {}, {} runs", point.epoch,
                                       value_words(point.value.mean, share), point.value.runs)});
  return line;
}

// Of an algorithm, by start: shares in one chart, each other criterion in one of its own.
std::vector<Chart> charts_of(const SweepReport& record, const std::string& algorithm) {
  std::vector<Chart> charts;
  for (const std::string& start : record.starts) {
    const std::string title = with_start(record, algorithm.empty() ? "All algorithms" : algorithm, start);
    std::vector<Line> shares, others;
    std::size_t last = 1;
    for (const SweepCurve& curve : record.curves) {
      if (curve.algorithm != algorithm || curve.start != start) continue;
      last = std::max(last, curve.points.back().epoch);
      if (!is_share(curve.column))
        others.push_back(line_of(curve, 0));
      else if (shares.size() < series)
        shares.push_back(line_of(curve, shares.size()));
    }
    const LineAxes axes = counted_axes(last, "validation");
    if (!shares.empty()) {
      LineAxes of = axes;
      of.percent = true, of.height = 200;
      charts.push_back(line_chart(title, "mean of the chosen runs; bands are intervals of the mean", shares,
                                  fit_y(of, shares, 0, 1)));
    }
    for (const Line& line : others)
      charts.push_back(line_chart(title, line.name, {line}, fit_y(axes, {line}, -infinity, infinity)));
  }
  return charts;
}

}  // namespace

Section sweep_choices_section(const SweepReport& record) {
  if (record.choices.empty()) return {};
  std::size_t most = 0;
  std::string value;
  std::map<std::string, std::size_t> counts;
  for (const SweepChoice& choice : record.choices)
    if (const std::string text = chosen_text(choice.chosen); ++counts[text] > most)
      most = counts[text], value = text;
  return {
      "choices", "Hyperparameters",
      fmt::format("Validation selected {} most often, {} of {} times", value, most, record.choices.size()),
      paragraph(fmt::format("Selected by {} only, on the seeds of the grid (the seeds with the most "
                            "combinations). The measure was not used.",
                            record.roles.validation)) +
          folded(fmt::format("Every choice ({})", record.choices.size()), choice_table(record),
                 record.choices.size() <= 24)};
}

Section sweep_ways_section(const SweepReport& record) {
  if (record.ways.empty()) return {};
  std::string heading = way_finding(record, record.ways.front().chooses);
  if (heading.empty()) heading = "Selection criteria compared";
  return {"ways", "Selection criteria", heading,
          paragraph("The measure that each selection criterion would have reached, over runs with every "
                    "criterion. The oracle selects by the measure itself, which is not available in "
                    "practice: it shows the largest possible gain.") +
              ways_part(record, "hyper-parameters") + ways_part(record, "checkpoint") +
              ways_part(record, "epoch")};
}

Section sweep_curves_section(const SweepReport& record) {
  if (record.curves.empty()) return {};
  const bool several = record.algorithms.size() > 1;
  Blocks body =
      paragraph(
          "Validation values during training, up to the length of the shortest run: the criteria that can "
          "select an epoch and, if it was measured, test accuracy, which no criterion may use.") +
      chart_grid(charts_of(record, several ? "" : record.algorithms.front()));
  if (several) {
    std::vector<Chart> charts;
    for (const std::string& algorithm : record.algorithms)
      for (Chart& chart : charts_of(record, algorithm)) charts.push_back(std::move(chart));
    body += folded("Each algorithm", chart_grid(charts), record.algorithms.size() <= 4);
  }
  return {"curves", "Curves", "Criteria and test accuracy during training", body};
}

}  // namespace leeway::tasks
