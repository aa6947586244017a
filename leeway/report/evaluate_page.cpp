#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/report/lines.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

// One shift: errors, not accuracies.
struct Shift {
  std::string data_set;
  double truth = 0, predicted = 0;
  [[nodiscard]] double excess() const { return truth - predicted; }  // by which the error was understated
};

struct Adjusted {
  std::string adjustment;
  std::optional<double> level, mae, overestimation;
  Measured coverage;
};

struct Method {
  std::string name;
  std::size_t n = 0;
  std::optional<double> delta;  // that a bound was allowed to fail with
  std::optional<double> mae, overestimation;
  Measured coverage, violation;
  std::vector<Shift> shifts;
  std::vector<Adjusted> adjusted;
};

struct Evaluation {
  std::vector<Method> methods;
  std::size_t data_sets = 0;
};

Method read_evaluated(const JsonView& item) {
  Method out;
  out.name = item["method"].text();
  out.n = item["n"].index().value_or(0);
  out.mae = item["mae"].share();
  out.overestimation = item["overestimation"].share();
  out.coverage = read_shares(item, "coverage");
  out.violation = {item["violation_rate"].share(), item["violation_low"].share(),
                   item["violation_high"].share()};
  for (const JsonView& point : item["points"].items()) {
    const auto truth = point["truth"].share(), predicted = point["predicted"].share();
    if (truth && predicted) out.shifts.push_back({point["data_set"].text(), 1 - *truth, 1 - *predicted});
  }
  out.delta = item["delta"].share();
  for (const JsonView& one : item["adjusted"].items())
    out.adjusted.push_back({one["adjustment"].text(), one["level"].share(), one["mae"].share(),
                            one["overestimation"].share(), read_shares(one, "coverage")});
  return out;
}

Cell points_cell(const std::optional<double>& share, const char* why) {
  return share ? number_cell(100 * *share, fixed(100 * *share, 2)) : dash_cell(why);
}

std::string score_table(const Evaluation& evaluation) {
  std::vector<Column> columns = {
      {"Method", "", false},
      {"MAE", "Mean distance of predicted and true error, in points"},
      {"Coverage", "Share of shifts whose error is not understated", true, true},
      {"Overestimation", "Mean points by which accuracy is overstated on the other shifts"},
      {"Violation rate", "Share of shifts whose error is understated", true, true}};
  const bool against = std::any_of(evaluation.methods.begin(), evaluation.methods.end(),
                                   [](const Method& method) { return method.delta.has_value(); });
  if (against)
    columns.push_back({"Against delta", "Whether the violation rate is beyond chance above delta", false});
  columns.push_back({"Shifts", ""});
  Table table("Every method over all shifts", columns);
  for (const Method& method : evaluation.methods) {
    std::vector<Cell> row = {text_cell(method.name), points_cell(method.mae, "not recorded"),
                             share_cell(method.coverage, "not recorded"),
                             points_cell(method.overestimation, "no shift's error is understated"),
                             share_cell(method.violation, "not recorded")};
    if (against && !method.delta) row.push_back(dash_cell("no delta was given"));
    if (method.delta) {
      const bool above = method.violation.low.value_or(0) > *method.delta;
      row.push_back(html_cell(fmt::format(
          "{} {:g}", above ? "<span class=\"wrong\">beyond chance above</span>" : "not beyond chance above",
          *method.delta)));
    }
    row.push_back(count_cell(method.n));
    table.add(std::move(row));
  }
  return table.html();
}

std::string scatter_charts(const Evaluation& evaluation) {
  double top = 0;
  for (const Method& method : evaluation.methods)
    for (const Shift& shift : method.shifts) top = std::max({top, shift.truth, shift.predicted});
  top = std::clamp(std::ceil(10 * top) / 10, .1, 1.);
  std::vector<Chart> charts;
  for (const Method& method : evaluation.methods) {
    if (method.shifts.empty()) continue;
    Chart chart{
        "scatter", method.name,
        fmt::format("MAE {} points, covers {}", fixed(100 * method.mae.value_or(NAN), 1),
                    percent(method.coverage.value.value_or(NAN))),
        fmt::format("Predicted against true error of {} over {} shifts, {} of them understated", method.name,
                    count(method.shifts.size()), percent(method.violation.value.value_or(NAN)))};
    Json rows = Json::array();
    for (const Shift& shift : method.shifts)
      rows.push_back({{"data_set", shift.data_set},
                      {"truth", brief(shift.truth)},
                      {"predicted", brief(shift.predicted)},
                      {"understated", shift.excess() > 0},
                      {"words", fmt::format("{}\npredicted {}\ntrue {}", shift.data_set,
                                            percent(shift.predicted, 1), percent(shift.truth, 1))}});
    chart.data = {{"points", std::move(rows)}};
    chart.signals = {{"top", brief(top)}};
    chart.numbers = {"points",
                     {{"Data set", "data_set"}, {"True error", "truth"}, {"Predicted error", "predicted"}}};
    charts.push_back(std::move(chart));
  }
  return panels_html(charts, 6);
}

double violated_by_more(const Method& method, double than) {
  const auto beyond = std::count_if(method.shifts.begin(), method.shifts.end(),
                                    [&](const Shift& shift) { return shift.excess() > than; });
  return static_cast<double>(beyond) / static_cast<double>(method.shifts.size());
}

double largest_excess(const Method& method) {
  double most = 0;
  for (const Shift& shift : method.shifts) most = std::max(most, shift.excess());
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

Line excess_line(const Method& method, std::size_t slot, double x_high) {
  constexpr std::size_t steps = 60;
  Line line{method.name, slot, {}};
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
std::string excess_charts(const Evaluation& evaluation, double most) {
  LineAxes axes;
  axes.x_high = rounded_up(most);
  axes.x_title = "understated by more than, points";
  axes.percent = true;
  axes.y_high = 0;
  put_ticks(axes);
  std::vector<Line> lines;
  for (const Method& method : evaluation.methods) {
    if (method.shifts.empty()) continue;
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
std::string delta_chart(const Evaluation& evaluation) {
  std::vector<Line> lines;
  double most = 0;
  for (const Method& method : evaluation.methods) {
    const std::size_t at = method.name.rfind('@');
    if (!method.delta || at == std::string::npos || !method.violation.value) continue;
    const std::string name = method.name.substr(0, at);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& one) { return one.name == name; });
    if (line == lines.end()) {
      if (lines.size() + 1 == series) continue;
      line = lines.insert(lines.end(), {name, lines.size(), {}});
    }
    const std::string allowed = fmt::format("{:g}", *method.delta);
    line->points.push_back(
        {*method.delta, method.violation, allowed,
         fmt::format("delta {}\nviolated on {}", allowed, value_words(method.violation, true))});
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

Section violation_section(const Evaluation& evaluation) {
  Section section{"violations", "Violations", "", ""};
  const Method* worst = nullptr;
  for (const Method& method : evaluation.methods)
    if (worst == nullptr || largest_excess(method) > largest_excess(*worst)) worst = &method;
  const double most = worst == nullptr ? 0 : largest_excess(*worst);
  section.body = delta_chart(evaluation);
  if (most > 0) section.body += excess_charts(evaluation, most);
  section.heading = most > 0 ? fmt::format("At worst {} understates the error by {} points",
                                           escape(worst->name), fixed(100 * most, 1))
                             : std::string("No method understates the error of any shift");
  return section;
}

Section adjusted_section(const Evaluation& evaluation) {
  Section section{"adjusted", "Adjusted", "", ""};
  Table table("Every method, lowered by what the other data sets ask for at a wanted coverage",
              {{"Method", "", false},
               {"Adjustment", "A shift is subtracted from the accuracy, a scale multiplies it", false},
               {"Wanted coverage", ""},
               {"MAE", "In points"},
               {"Coverage", "Share of shifts whose error is not understated", true, true},
               {"Overestimation", "Mean points by which accuracy is overstated on the other shifts"}});
  for (const Method& method : evaluation.methods)
    for (const Adjusted& one : method.adjusted)
      table.add({text_cell(method.name), text_cell(one.adjustment),
                 one.level ? number_cell(*one.level, percent(*one.level, 0)) : dash_cell("not recorded"),
                 points_cell(one.mae, "not recorded"), share_cell(one.coverage, "not recorded"),
                 points_cell(one.overestimation, "no shift's error is understated")});
  if (table.empty()) return section;
  section.heading = "What the methods become when they are made to cover";
  section.body = table.html(2);
  return section;
}

std::string headline(const Evaluation& evaluation) {
  const auto best = [&](auto better) -> const Method& {
    return *std::min_element(evaluation.methods.begin(), evaluation.methods.end(), better);
  };
  const Method& closest =
      best([](const Method& a, const Method& b) { return a.mae.value_or(2) < b.mae.value_or(2); });
  const Method& safest = best([](const Method& a, const Method& b) {
    return a.violation.value.value_or(2) < b.violation.value.value_or(2);
  });
  const std::string off = fixed(100 * closest.mae.value_or(NAN), 1) + " points off on average";
  const std::string text = fmt::format("Over {} shifts {} understates the error least often, on {}",
                                       count(closest.n), safest.name, value_words(safest.violation, true));
  if (&closest == &safest) return text + ", and is closest to it, " + off + ".";
  return fmt::format("{}; {} is closest to it, {}.", text, closest.name, off);
}

}  // namespace

std::string evaluate_page(const Json& json, const Options& options) {
  const JsonView view(json, options.record_name);
  Evaluation evaluation;
  for (const JsonView& item : view["results"].items()) evaluation.methods.push_back(read_evaluated(item));
  if (evaluation.methods.empty()) refuse(options.record_name, "at least one result", "none");
  evaluation.data_sets = view["data_sets"].index().value_or(1);
  const std::string lead =
      fmt::format("<p class=\"scope\">{} shifts of {} data set{}</p>\n", count(evaluation.methods[0].n),
                  count(evaluation.data_sets), evaluation.data_sets == 1 ? "" : "s") +
      score_table(evaluation) + scatter_charts(evaluation);
  return page("leeway: bounds and estimates over many shifts", headline(evaluation), lead,
              {violation_section(evaluation), adjusted_section(evaluation),
               source_section(read_envelope(json, options.record_name))});
}

}  // namespace leeway::report
