#include <fmt/format.h>

#include <cmath>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

// Errors, not accuracies, and by how much the error was understated.
double true_error(const error_bound::Shift& shift) { return 1 - shift.truth; }
double predicted_error(const error_bound::Shift& shift) { return 1 - shift.predicted; }
double excess(const error_bound::Shift& shift) { return true_error(shift) - predicted_error(shift); }

Measured coverage_of(const error_bound::Score& score) {
  return measured(score.coverage, score.coverage_interval);
}

Measured violation_of(const EvaluatedMethod& method) {
  return measured(method.violation_rate(), method.violation_interval());
}

Column coverage_column() {
  return interval_column("Coverage", "Share of shifts whose error is not understated");
}

Column overestimation_column() {
  return number_column("Overestimation", "Mean overstatement of accuracy where it is overstated, in points");
}

Cell points_cell(const std::optional<double>& share) {
  return share ? number_cell(100 * *share, fixed(100 * *share, 2))
               : dash_cell("no shift's error is understated");
}

Cell delta_cell(const EvaluatedMethod& method) {
  if (!method.delta) return dash_cell("no delta");
  const bool above = *method.exceeds_delta();
  return text_cell(fmt::format("{}significantly above {:g}%", above ? "" : "not ", 100 * *method.delta),
                   above ? Mark::wrong : Mark::none);
}

Blocks score_table(const BoundEvaluation& evaluation) {
  using One = EvaluatedMethod;
  std::vector<ColumnOf<One>> columns = {
      {text_column("Method"), &One::method},
      {number_column("MAE", "Mean absolute difference between predicted and true error, in points"),
       [](const One& one) { return points_cell(one.score.mae); }},
      {coverage_column(), [](const One& one) { return share_cell(coverage_of(one.score)); }},
      {overestimation_column(), [](const One& one) { return points_cell(one.score.overestimation); }},
      {interval_column("Violation rate", "Share of shifts whose error is understated"),
       [](const One& one) { return share_cell(violation_of(one)); }}};
  if (std::ranges::any_of(evaluation.results, [](const One& one) { return one.proved.has_value(); }))
    columns.push_back(
        {interval_column("Proved", "Share of shifts where Corollary E.2 proves the assumption"),
         [](const One& one) { return share_cell(measured(one.proved), "no column proved:METHOD"); }});
  columns.push_back({number_column("Shifts"), [](const One& one) { return count_cell(one.score.n); }});
  if (std::ranges::any_of(evaluation.results, [](const One& one) { return one.delta.has_value(); }))
    columns.push_back(
        {text_column("Against delta", "Whether the violation rate is significantly above delta"),
         delta_cell});
  return table_of("Every method over all shifts", columns, evaluation.results).block();
}

Blocks scatter_charts(const BoundEvaluation& evaluation) {
  double top = 0;
  for (const EvaluatedMethod& method : evaluation.results)
    for (const error_bound::Shift& shift : method.points)
      top = std::max({top, true_error(shift), predicted_error(shift)});
  top = std::clamp(std::ceil(10 * top) / 10, .1, 1.);
  const auto point = [](const error_bound::Shift& shift) -> Json {
    return {{"data_set", shift.data_set},
            {"truth", brief(true_error(shift))},
            {"predicted", brief(predicted_error(shift))},
            {"understated", excess(shift) > 0},
            {"words", fmt::format("{}\npredicted {}\ntrue {}", shift.data_set,
                                  percent(predicted_error(shift), 1), percent(true_error(shift), 1))}};
  };
  std::vector<Chart> charts;
  for (const EvaluatedMethod& method : evaluation.results)
    if (!method.points.empty())
      charts.push_back(
          {"scatter",
           method.method,
           fmt::format("MAE {} points, covers {}", fixed(100 * method.score.mae, 1),
                       percent(method.score.coverage)),
           fmt::format("Predicted against true error of {} over {} shifts, of which {} are understated",
                       method.method, count(method.points.size()), percent(method.violation_rate())),
           {{"points", json_rows(method.points, point)}},
           {{"top", brief(top)}}});
  return chart_grid(charts, 6);
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

// Rounded up to a multiple of 4 points, so that five ticks are whole.
double rounded_up(double share) { return std::clamp(std::ceil(25 * share - 1e-9) / 25, .04, 1.); }

// Shares in percent, against shares up to x_high with five ticks, named in points.
LineAxes axes_to(double x_high, const std::string& x_title) {
  LineAxes axes;
  axes.x_high = x_high;
  axes.x_title = x_title;
  axes.percent = true;
  for (int i = 0; i <= 4; ++i) {
    axes.x_ticks.push_back(x_high * i / 4);
    axes.x_names.push_back(significant(100 * axes.x_ticks.back(), 3));
  }
  return axes;
}

Line excess_line(const EvaluatedMethod& method, std::size_t slot, double x_high) {
  constexpr std::size_t steps = 60;
  Line line{method.method, slot, {}};
  for (std::size_t i = 0; i <= steps; ++i) {
    const double x = x_high * static_cast<double>(i) / steps, rate = violated_by_more(method, x);
    const std::string at = significant(100 * x, 3);
    line.points.push_back(
        {x,
         {rate},
         at,
         fmt::format("understated by more than {} points\n{} of shifts", at, percent(rate, 1))});
  }
  return line;
}

// Share of shifts whose error is understated by more than x points.
Blocks excess_charts(const BoundEvaluation& evaluation, double most) {
  LineAxes axes = axes_to(rounded_up(most), "understated by more than, points");
  axes.y_high = 0;
  std::vector<Line> lines;
  for (const EvaluatedMethod& method : evaluation.results) {
    if (method.points.empty()) continue;
    lines.push_back(excess_line(method, lines.size() % series, axes.x_high));
    axes.y_high = std::max(axes.y_high, rounded_up(violated_by_more(method, 0)));
  }
  return line_charts("Share of shifts", "whose error is understated", lines, axes);
}

// Violation rates of a bound at several delta, columns "dis2@0.01", "dis2@0.05", against the delta allowed.
Blocks delta_chart(const BoundEvaluation& evaluation) {
  std::vector<Line> lines;
  double most = 0;
  for (const EvaluatedMethod& method : evaluation.results) {
    const std::size_t at = method.method.rfind('@');
    if (!method.delta || at == std::string::npos) continue;
    const std::string name = method.method.substr(0, at);
    auto line = std::ranges::find(lines, name, &Line::name);
    if (line == lines.end()) {
      if (lines.size() + 1 == series) continue;
      line = lines.insert(lines.end(), {name, lines.size(), {}});
    }
    const std::string allowed = fmt::format("{:g}%", 100 * *method.delta);
    line->points.push_back(
        {*method.delta, violation_of(method), allowed,
         fmt::format("delta {}\nviolated on {}", allowed, value_words(violation_of(method), true))});
    most = std::max(most, *method.delta);
  }
  std::erase_if(lines, [](const Line& line) { return line.points.size() < 2; });
  if (lines.empty()) return {};
  for (Line& line : lines) std::ranges::stable_sort(line.points, {}, &LinePoint::x);
  const LineAxes axes = axes_to(rounded_up(most), "delta, %");
  lines.push_back(
      {"allowed",
       series - 1,
       {{0, {0.}, "0", "allowed"}, {axes.x_high, {axes.x_high}, significant(axes.x_high, 3), "allowed"}}});
  return chart_grid({line_chart("Violation rate", "by the allowed delta", lines, fit_y(axes, lines, 0, 1))});
}

Section violation_section(const BoundEvaluation& evaluation) {
  const EvaluatedMethod& worst = *std::ranges::max_element(evaluation.results, {}, largest_excess);
  const double most = largest_excess(worst);
  return {"violations", "Violations",
          most > 0 ? fmt::format("At worst, {} understates the error by {} points", worst.method,
                                 fixed(100 * most, 1))
                   : "No method understates the error of any shift",
          delta_chart(evaluation) + (most > 0 ? excess_charts(evaluation, most) : Blocks())};
}

Section validity_section(const BoundEvaluation& evaluation) {
  Table table(
      "Every method on the shifts whose validity score reaches a threshold",
      {text_column("Method"), number_column("Threshold"),
       number_column("MAE", "Mean absolute error, in points"), coverage_column(),
       number_column("Worst", "Largest understatement of the error, in points"), number_column("Shifts")});
  Blocks words;
  for (const EvaluatedMethod& method : evaluation.results) {
    if (!method.validity) continue;
    for (const ThresholdScore& one : method.validity->thresholds)
      table.add({text_cell(method.method), fixed_cell(one.threshold, 2), points_cell(one.score.mae),
                 share_cell(coverage_of(one.score)), points_cell(one.worst), count_cell(one.score.n)});
    if (const auto& found = method.validity->correlation)
      words = std::move(words) +
              in_both(paragraph(fmt::format("{}: the correlation between validity score and tightness "
                                            "(predicted minus true error) is {:.2f} ({:.2f} to {:.2f}).",
                                            method.method, found->value, found->interval.low,
                                            found->interval.high)));
  }
  return {"validity", "Validity score", "How far the bound is above the error, by its validity score",
          in_both(table.block(2)) + words};
}

Section loss_section(const BoundEvaluation& evaluation) {
  using One = error_bound::LossTest;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Losses"), [](const One& one) { return text_cell(one.loss + ", " + one.other); }},
      {number_column("First", "Mean discrepancy"),
       [](const One& one) { return percent_cell(one.discrepancy, 1); }},
      {number_column("Second"), [](const One& one) { return percent_cell(one.other_discrepancy, 1); }},
      {interval_column("Difference", "Mean difference, in points"),
       [](const One& one) { return change_cell(measured(one.difference, one.interval)); }},
      {text_column("Larger", "Shifts where the first finds the larger discrepancy"),
       [](const One& one) { return text_cell(fmt::format("{} of {}", one.larger, one.n)); }},
      {number_column("p", "Student's paired t-test, adjusted by Holm's method"), [](const One& one) {
         return one.p_adjusted ? number_cell(*one.p_adjusted, p_words(*one.p_adjusted))
                               : dash_cell("too few shifts, or equal differences");
       }}};
  return {
      "losses", "Losses", "Which critic loss finds more disagreement",
      in_both(table_of("Discrepancies of two losses, paired by shift", columns, evaluation.losses).block())};
}

Section adjusted_section(const BoundEvaluation& evaluation) {
  Table table(
      "Every method, adjusted on the other data sets to a required coverage",
      {text_column("Method"),
       text_column("Adjustment", "shift: subtracted from the accuracy; scale: multiplies the accuracy"),
       number_column("Required coverage"), number_column("MAE", "Mean absolute error, in points"),
       coverage_column(), overestimation_column()});
  for (const EvaluatedMethod& method : evaluation.results)
    for (const auto& [adjustment, level, score] : method.adjusted)
      table.add({text_cell(method.method), text_cell(adjustment), percent_cell(level, 0),
                 points_cell(score.mae), share_cell(coverage_of(score)), points_cell(score.overestimation)});
  return {"adjusted", "Adjusted", "The methods after adjustment to a required coverage",
          in_both(table.block(2))};
}

}  // namespace

View view(const BoundEvaluation& evaluation) {
  return view_of("bounds and estimates over many shifts", evaluation.envelope,
                 in_both(score_table(evaluation)) + scatter_charts(evaluation),
                 {violation_section(evaluation), validity_section(evaluation), loss_section(evaluation),
                  adjusted_section(evaluation)},
                 fmt::format("{} shifts of {} data set{}", count(evaluation.results[0].score.n),
                             count(evaluation.data_sets), evaluation.data_sets == 1 ? "" : "s"));
}

}  // namespace leeway::tasks
