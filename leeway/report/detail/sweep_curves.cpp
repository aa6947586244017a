// Criteria and test accuracy by epoch, on the page of leeway sweep report.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/report/detail/lines.h"
#include "leeway/report/detail/sections.h"
#include "leeway/report/detail/sweep_view.h"

namespace leeway::report {
namespace {

using record::SweepCurve;
using record::SweepReport;

bool is_share(const std::string& column) { return column.find("accuracy") != std::string::npos; }

Line line_of(const SweepCurve& curve, std::size_t slot) {
  const bool share = is_share(curve.column);
  Line line{record::curve_name(curve.column), slot, {}};
  for (const SweepCurve::Point& point : curve.points)
    line.points.push_back({static_cast<double>(point.epoch), point.value.mean, std::to_string(point.epoch),
                           fmt::format("validation {}: {}, {} runs", point.epoch,
                                       value_words(point.value.mean, share), point.value.runs)});
  return line;
}

// Of an algorithm from a start: shares in one chart, each other criterion in one of its own.
std::vector<Chart> charts_of(const SweepReport& record, const std::string& algorithm,
                             const std::string& start) {
  std::vector<Line> shares;
  std::vector<std::vector<Line>> others;
  std::size_t last = 1;
  for (const SweepCurve& curve : record.curves) {
    if (curve.algorithm != algorithm || curve.start != start) continue;
    last = std::max(last, curve.points.back().epoch);
    if (!is_share(curve.column))
      others.push_back({line_of(curve, 0)});
    else if (shares.size() < series)
      shares.push_back(line_of(curve, shares.size()));
  }
  std::string title = algorithm.empty() ? "All algorithms" : algorithm;
  if (record.starts.size() > 1) title += ", start " + start;
  std::vector<Chart> charts;
  const LineAxes axes = counted_axes(last, "validation");
  if (!shares.empty()) {
    LineAxes of = axes;
    of.percent = true, of.height = 200;
    charts.push_back(line_chart(title, "mean of the chosen runs; bands are intervals of the mean", shares,
                                fit_y(of, shares, 0, 1)));
  }
  for (const std::vector<Line>& lines : others) {
    double low = 0, high = 0;
    for (const LinePoint& point : lines.front().points)
      low = std::min(low, point.y.low.value_or(point.y.value.value_or(0))),
      high = std::max(high, point.y.high.value_or(point.y.value.value_or(0)));
    charts.push_back(
        line_chart(title, lines.front().name, lines, fit_y(axes, lines, low, high > low ? high : low + 1)));
  }
  return charts;
}

std::vector<Chart> charts_of(const SweepReport& record, const std::string& algorithm) {
  std::vector<Chart> charts;
  for (const std::string& start : record.starts)
    for (Chart& chart : charts_of(record, algorithm, start)) charts.push_back(std::move(chart));
  return charts;
}

}  // namespace

Section sweep_curves_section(const SweepReport& record) {
  if (record.curves.empty()) return {};
  const bool several = record.algorithms.size() > 1;
  std::string body = paragraph(
                         "What every validation of the trainings said, as far as all of them go: the "
                         "criteria that can choose "
                         "an epoch and, where it was measured, test accuracy, which no criterion may see.") +
                     panels_html(charts_of(record, several ? "" : record.algorithms.front()));
  if (several) {
    std::vector<Chart> charts;
    for (const std::string& algorithm : record.algorithms)
      for (Chart& chart : charts_of(record, algorithm)) charts.push_back(std::move(chart));
    body += more_html("Each algorithm", panels_html(charts), record.algorithms.size() <= 4);
  }
  return {"curves", "Curves", "Criteria and test accuracy during training", body};
}

}  // namespace leeway::report
