#include "leeway/report/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

constexpr double below = -.25;  // of log k: how far under guessing the axis goes; steeper falls are cut there

struct Axes {
  double low = HUGE_VAL, high = 0, log_k = 0;  // beta, PA
  bool infinity = false;                       // some curve is highest at infinity
};

// Two decades before the maxima, for their labels, and a little more than one behind them, or as far as the
// curves go.
Axes axes_of(const std::vector<Curve>& curves) {
  Axes axes;
  double least = HUGE_VAL, most = 0;
  for (const Curve& curve : curves) {
    axes.log_k = std::max(axes.log_k, curve.log_k);
    for (const Point& point : curve.points)
      if (point.beta > 0 && std::isfinite(point.beta)) {
        least = std::min(least, point.beta);
        most = std::max(most, point.beta);
      }
    if (!curve.beta) continue;
    if (std::isinf(*curve.beta)) {
      axes.infinity = true;
    } else if (*curve.beta > 0) {
      axes.low = std::min(axes.low, *curve.beta / 100);
      axes.high = std::max(axes.high, *curve.beta * 20);
    }
  }
  axes.low = std::isfinite(axes.low) ? std::max(axes.low, least) : least;
  axes.high = axes.high > 0 && !axes.infinity ? std::min(axes.high, most) : most;
  if (!(axes.low < axes.high)) axes = {.1, 10, axes.log_k, axes.infinity};
  return axes;
}

Json line_rows(const Curve& curve, const Axes& axes) {
  Json rows = Json::array();
  for (const Point& point : curve.points)
    if (point.beta >= axes.low && point.beta <= axes.high && std::isfinite(point.value))
      rows.push_back({{"line", curve.line},
                      {"slot", curve.slot},
                      {"beta", brief(point.beta)},
                      {"a", brief(point.value)},
                      {"y", brief(point.value + curve.log_k)}});
  return rows;
}

struct Label {
  double x = 0, y = 0;
  bool global = false;
  const Curve* curve = nullptr;
};

std::vector<Label> maxima_of(const Curve& curve) {
  std::vector<Label> out;
  if (curve.beta && curve.pa) out.push_back({*curve.beta, *curve.pa, true, &curve});
  for (const Point& point : curve.maxima) {
    const double y = point.value + curve.log_k;
    if (curve.beta && (point.beta == *curve.beta || std::abs(point.beta / *curve.beta - 1) < 1e-3)) continue;
    if (point.beta > 0) out.push_back({point.beta, y, false, &curve});
  }
  return out;
}

// Where a curve that is highest at infinity leaves the axis.
Point last_shown(const Curve& curve, const Axes& axes) {
  Point last{axes.high, curve.pa.value_or(0)};
  for (const Point& point : curve.points)
    if (point.beta >= axes.low && point.beta <= axes.high && std::isfinite(point.value))
      last = {point.beta, point.value + curve.log_k};
  return last;
}

// Labels stand in the empty upper left, each at the height of its maximum and joined to it by a line; one
// that would come within a line's height of the label above moves down.
Json label_rows(std::vector<Label> labels, const Axes& axes) {
  std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y > b.y; });
  const double line_height = .11 * (1 - below) * axes.log_k;
  double lowest = HUGE_VAL;  // middle of the lowest label so far
  std::size_t infinite = 0;
  Json rows = Json::array();
  for (const Label& label : labels) {
    const bool at_infinity = std::isinf(label.x);
    const double middle = std::min(label.y, lowest - line_height);
    if (label.global) lowest = middle;
    const Point last = last_shown(*label.curve, axes);
    rows.push_back({{"line", label.curve->line},
                    {"slot", label.curve->slot},
                    {"beta", brief(at_infinity ? last.beta : std::clamp(label.x, axes.low, axes.high))},
                    {"from_y", brief(last.value)},
                    {"y", brief(label.y)},
                    {"label_y", brief(middle)},
                    {"global", label.global},
                    {"infinite", at_infinity},
                    {"rank", at_infinity ? infinite++ : 0},
                    {"where", significant(label.x, 3)},
                    {"pa", fixed(label.y, 2)}});
  }
  return rows;
}

// Powers of ten, or 1-2-5 steps where there are few.
Json ticks_of(const Axes& axes) {
  Json tens = Json::array(), steps = Json::array();
  const int first = static_cast<int>(std::floor(std::log10(axes.low))),
            last = static_cast<int>(std::ceil(std::log10(axes.high)));
  const int every = std::max(1, (last - first) / 5);
  for (int power = first; power <= last; ++power)
    for (const int step : {1, 2, 5}) {
      const double value = step * std::pow(10., power);
      if (value < axes.low || value > axes.high) continue;
      steps.push_back(brief(value));
      if (step == 1 && power % every == 0) tens.push_back(brief(value));
    }
  return tens.size() >= 2 ? tens : steps;
}

}  // namespace

std::vector<Chart> curve_charts(const std::vector<Curve>& curves) {
  const Axes axes = axes_of(curves);
  std::vector<Chart> charts;
  for (std::size_t begin = 0; begin < curves.size();) {
    std::size_t end = begin;
    while (end < curves.size() && end - begin < series && curves[end].panel == curves[begin].panel) ++end;
    Chart chart{"curve", curves[begin].panel, "", ""};
    Json lines = Json::array();
    std::vector<Label> labels;
    for (std::size_t i = begin; i < end; ++i) {
      for (auto& row : line_rows(curves[i], axes)) lines.push_back(row);
      for (const Label& label : maxima_of(curves[i])) labels.push_back(label);
      if (curves[i].pa && curves[i].beta)
        chart.description += fmt::format("{}: PA {} at beta {}. ", curves[i].line, fixed(*curves[i].pa, 2),
                                         significant(*curves[i].beta, 3));
    }
    chart.data = {{"lines", lines}, {"maxima", label_rows(labels, axes)}};
    chart.signals = {{"low", brief(axes.low)},     {"high", brief(axes.high)},
                     {"log_k", brief(axes.log_k)}, {"bottom", brief(below * axes.log_k)},
                     {"ticks", ticks_of(axes)},    {"infinity", axes.infinity}};
    chart.numbers = {"lines", {{"Model", "line"}, {"β", "beta"}, {"A(β)", "a"}, {"A(β) + log k", "y"}}};
    charts.push_back(std::move(chart));
    begin = end;
  }
  return charts;
}

Section agreement_section(const Record& record) {
  Section section{"agreement", "Agreement", "", ""};
  std::vector<Curve> curves;
  const Result* worst = nullptr;
  const Result* best = nullptr;
  for (const std::string& target : record.targets)
    for (const std::string& model : record.models) {
      const Result* result = record.find(model, target);
      if (result == nullptr || !result->pa.value) continue;
      if (worst == nullptr || *result->pa.value < *worst->pa.value) worst = result;
      if (best == nullptr || *result->pa.value > *best->pa.value) best = result;
      if (result->curve.empty()) continue;
      curves.push_back({target, model, record.model_index(model) % series,
                        std::log(static_cast<double>(std::max<std::size_t>(record.k(), 2))), result->beta,
                        result->pa.value, result->curve, result->local_maxima});
    }
  if (curves.empty() || worst == nullptr || best == nullptr) return section;
  const std::string most = fixed(std::log(static_cast<double>(record.k())), 2);
  section.heading = worst == best
                        ? fmt::format("{} keeps {} of {} agreement", escape(subject(record, *worst)),
                                      fixed(*worst->pa.value, 2), most)
                        : fmt::format("Least agreement: {} ({} of {}). Most: {} ({})",
                                      escape(subject(record, *worst)), fixed(*worst->pa.value, 2), most,
                                      escape(subject(record, *best)), fixed(*best->pa.value, 2));
  section.body =
      paragraph(
          "Each line shows how well the answers before and after the shift agree when the model's scores are "
          "read "
          "more or less sharply (β). On the left everything is a guess; on the right every contradiction "
          "counts fully. "
          "The highest point, marked, is PA. A line that stays high to the right never contradicts itself.") +
      panels_html(curve_charts(curves));
  return section;
}

}  // namespace leeway::report
