#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/lines.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

using record::BoundEvaluation;
using record::EvaluatedMethod;

// Errors, not accuracies, and by how much the error was understated.
double true_error(const error_bound::Shift& shift) { return 1 - shift.truth; }
double predicted_error(const error_bound::Shift& shift) { return 1 - shift.predicted; }
double excess(const error_bound::Shift& shift) { return true_error(shift) - predicted_error(shift); }

Measured coverage_of(const error_bound::Score& score) {
  return {score.coverage, score.coverage_interval.low, score.coverage_interval.high};
}

Measured violation_of(const EvaluatedMethod& method) {
  const Interval interval = method.violation_interval();
  return {method.violation_rate(), interval.low, interval.high};
}

Cell points_cell(const std::optional<double>& share) {
  return share ? number_cell(100 * *share, fixed(100 * *share, 2))
               : dash_cell("no shift's error is understated");
}

std::string score_table(const BoundEvaluation& evaluation) {
  std::vector<Column> columns = {
      {"Method", "", false},
      {"MAE", "Mean distance of predicted and true error, in points"},
      {"Coverage", "Share of shifts whose error is not understated", true, true},
      {"Overestimation", "Mean points by which accuracy is overstated on the other shifts"},
      {"Violation rate", "Share of shifts whose error is understated", true, true}};
  const bool against = std::any_of(evaluation.results.begin(), evaluation.results.end(),
                                   [](const EvaluatedMethod& method) { return method.delta.has_value(); });
  if (against)
    columns.push_back({"Against delta", "Whether the violation rate is beyond chance above delta", false});
  columns.push_back({"Shifts", ""});
  Table table("Every method over all shifts", columns);
  for (const EvaluatedMethod& method : evaluation.results) {
    std::vector<Cell> row = {text_cell(method.method), points_cell(method.score.mae),
                             share_cell(coverage_of(method.score), ""),
                             points_cell(method.score.overestimation), share_cell(violation_of(method), "")};
    if (against && !method.delta) row.push_back(dash_cell("no delta was given"));
    if (method.delta) {
      row.push_back(
          html_cell(fmt::format("{} {:g}",
                                *method.exceeds_delta() ? "<span class=\"wrong\">beyond chance above</span>"
                                                        : "not beyond chance above",
                                *method.delta)));
    }
    row.push_back(count_cell(method.score.n));
    table.add(std::move(row));
  }
  return table.html();
}

std::string scatter_charts(const BoundEvaluation& evaluation) {
  double top = 0;
  for (const EvaluatedMethod& method : evaluation.results)
    for (const error_bound::Shift& shift : method.points)
      top = std::max({top, true_error(shift), predicted_error(shift)});
  top = std::clamp(std::ceil(10 * top) / 10, .1, 1.);
  std::vector<Chart> charts;
  for (const EvaluatedMethod& method : evaluation.results) {
    if (method.points.empty()) continue;
    Chart chart{"scatter", method.method,
                fmt::format("MAE {} points, covers {}", fixed(100 * method.score.mae, 1),
                            percent(method.score.coverage)),
                fmt::format("Predicted against true error of {} over {} shifts, {} of them understated",
                            method.method, count(method.points.size()), percent(method.violation_rate()))};
    Json rows = Json::array();
    for (const error_bound::Shift& shift : method.points)
      rows.push_back(
          {{"data_set", shift.data_set},
           {"truth", brief(true_error(shift))},
           {"predicted", brief(predicted_error(shift))},
           {"understated", excess(shift) > 0},
           {"words", fmt::format("{}\npredicted {}\ntrue {}", shift.data_set,
                                 percent(predicted_error(shift), 1), percent(true_error(shift), 1))}});
    chart.data = {{"points", std::move(rows)}};
    chart.signals = {{"top", brief(top)}};
    chart.numbers = {"points",
                     {{"Data set", "data_set"}, {"True error", "truth"}, {"Predicted error", "predicted"}}};
    charts.push_back(std::move(chart));
  }
  return panels_html(charts, 6);
}

double violated_by_more(const EvaluatedMethod& method, double than) {
  const auto beyond = std::count_if(method.points.begin(), method.points.end(),
                                    [&](const error_bound::Shift& shift) { return excess(shift) > than; });
  return static_cast<double>(beyond) / static_cast<double>(method.points.size());
}

double largest_excess(const EvaluatedMethod& method) {
  double most = 0;
  for (const error_bound::Shift& shift : method.points) most = std::max(most, excess(shift));
  return most;
}

// Five ticks from 0 to x_high, named in points.
void put_ticks(LineAxes& axes) {
  for (int i = 0; i <= 4; ++i) {
    axes.x_ticks.push_back(axes.x_high * i / 4);
    axes.x_names.push_back(significant(100 * axes.x_ticks.back(), 3));
  }
}

// Rounded up to a multiple of 4 points, so that five ticks are whole.
double rounded_up(double share) { return std::clamp(std::ceil(25 * share - 1e-9) / 25, .04, 1.); }

Line excess_line(const EvaluatedMethod& method, std::size_t slot, double x_high) {
  constexpr std::size_t steps = 60;
  Line line{method.method, slot, {}};
  for (std::size_t i = 0; i <= steps; ++i) {
    const double x = x_high * static_cast<double>(i) / steps, rate = violated_by_more(method, x);
    const std::string at = significant(100 * x, 3);
    line.points.push_back(
        {x,
         {rate, {}, {}},
         at,
         fmt::format("understated by more than {} points\n{} of shifts", at, percent(rate, 1))});
  }
  return line;
}

// Share of shifts whose error is understated by more than x points.
std::string excess_charts(const BoundEvaluation& evaluation, double most) {
  LineAxes axes;
  axes.x_high = rounded_up(most);
  axes.x_title = "understated by more than, points";
  axes.percent = true;
  axes.y_high = 0;
  put_ticks(axes);
  std::vector<Line> lines;
  for (const EvaluatedMethod& method : evaluation.results) {
    if (method.points.empty()) continue;
    lines.push_back(excess_line(method, lines.size() % series, axes.x_high));
    axes.y_high = std::max(axes.y_high, rounded_up(violated_by_more(method, 0)));
  }
  std::vector<Chart> charts;
  for (std::size_t first = 0; first < lines.size(); first += series) {
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
    const auto some = static_cast<std::ptrdiff_t>(std::min(series, lines.size() - first));
    charts.push_back(
        line_chart("Share of shifts", "whose error is understated", {begin, begin + some}, axes));
  }
  return panels_html(charts);
}

// Violation rates of a bound at several delta, columns "dis2@0.01", "dis2@0.05", against the delta allowed.
std::string delta_chart(const BoundEvaluation& evaluation) {
  std::vector<Line> lines;
  double most = 0;
  for (const EvaluatedMethod& method : evaluation.results) {
    const std::size_t at = method.method.rfind('@');
    if (!method.delta || at == std::string::npos) continue;
    const std::string name = method.method.substr(0, at);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& one) { return one.name == name; });
    if (line == lines.end()) {
      if (lines.size() + 1 == series) continue;
      line = lines.insert(lines.end(), {name, lines.size(), {}});
    }
    const std::string allowed = fmt::format("{:g}", *method.delta);
    line->points.push_back(
        {*method.delta, violation_of(method), allowed,
         fmt::format("delta {}\nviolated on {}", allowed, value_words(violation_of(method), true))});
    most = std::max(most, *method.delta);
  }
  std::erase_if(lines, [](const Line& line) { return line.points.size() < 2; });
  if (lines.empty()) return "";
  for (Line& line : lines)
    std::stable_sort(line.points.begin(), line.points.end(),
                     [](const LinePoint& a, const LinePoint& b) { return a.x < b.x; });
  LineAxes axes;
  axes.x_high = rounded_up(most);
  axes.x_title = "delta, %";
  axes.percent = true;
  put_ticks(axes);
  lines.push_back({"allowed",
                   series - 1,
                   {{0, {0., {}, {}}, "0", "allowed"},
                    {axes.x_high, {axes.x_high, {}, {}}, significant(axes.x_high, 3), "allowed"}}});
  return panels_html(
      {line_chart("Violation rate", "against the delta allowed", lines, fit_y(axes, lines, 0, 1))});
}

Section violation_section(const BoundEvaluation& evaluation) {
  Section section{"violations", "Violations", "", ""};
  const EvaluatedMethod* worst = nullptr;
  for (const EvaluatedMethod& method : evaluation.results)
    if (worst == nullptr || largest_excess(method) > largest_excess(*worst)) worst = &method;
  const double most = worst == nullptr ? 0 : largest_excess(*worst);
  section.body = delta_chart(evaluation);
  if (most > 0) section.body += excess_charts(evaluation, most);
  section.heading = most > 0 ? fmt::format("At worst {} understates the error by {} points",
                                           escape(worst->method), fixed(100 * most, 1))
                             : std::string("No method understates the error of any shift");
  return section;
}

Section adjusted_section(const BoundEvaluation& evaluation) {
  Section section{"adjusted", "Adjusted", "", ""};
  Table table("Every method, lowered by what the other data sets ask for at a wanted coverage",
              {{"Method", "", false},
               {"Adjustment", "A shift is subtracted from the accuracy, a scale multiplies it", false},
               {"Wanted coverage", ""},
               {"MAE", "In points"},
               {"Coverage", "Share of shifts whose error is not understated", true, true},
               {"Overestimation", "Mean points by which accuracy is overstated on the other shifts"}});
  for (const EvaluatedMethod& method : evaluation.results)
    for (const record::AdjustedScore& one : method.adjusted)
      table.add({text_cell(method.method), text_cell(one.adjustment),
                 number_cell(one.level, percent(one.level, 0)), points_cell(one.score.mae),
                 share_cell(coverage_of(one.score), ""), points_cell(one.score.overestimation)});
  if (table.empty()) return section;
  section.heading = "What the methods become when they are made to cover";
  section.body = table.html(2);
  return section;
}

}  // namespace

std::string html_report(const BoundEvaluation& evaluation) {
  std::string lead =
      fmt::format("<p class=\"scope\">{} shifts of {} data set{}</p>\n", count(evaluation.results[0].score.n),
                  count(evaluation.data_sets), evaluation.data_sets == 1 ? "" : "s");
  for (const std::string& finding : evaluation.envelope.findings) lead += paragraph(escape(finding));
  lead += score_table(evaluation) + scatter_charts(evaluation);
  return page("leeway: bounds and estimates over many shifts", evaluation.envelope.headline, lead,
              {violation_section(evaluation), adjusted_section(evaluation),
               source_section(envelope_of(evaluation.envelope))});
}

}  // namespace leeway::report
