// Agreement curves as figures, for assessments and for records of pa.
#include <fmt/format.h>

#include <cmath>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr double below = -.25;  // of log k: how far under guessing the axis goes; steeper falls are cut there

struct PaCurve {
  std::string panel, line;  // the figure it stands in, its label
  std::size_t slot = 0;     // colour and dash, 0..series-1
  double log_k = 0;
  std::optional<double> beta, pa;
  std::vector<agreement::CurvePoint> points;  // A(beta)
  std::vector<agreement::CurvePoint> maxima;  // local ones; the global one may be among them
};

struct Axes {
  double low = HUGE_VAL, high = 0, log_k = 0;  // beta, PA
  bool infinity = false;                       // some curve is highest at infinity
};

// Two decades before the maxima, for labels, and just over one after them, or as far as the curves go.
Axes axes_of(const std::vector<PaCurve>& curves) {
  Axes axes;
  double least = HUGE_VAL, most = 0;
  for (const PaCurve& curve : curves) {
    axes.log_k = std::max(axes.log_k, curve.log_k);
    for (const agreement::CurvePoint& point : curve.points)
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

bool shown(const agreement::CurvePoint& point, const Axes& axes) {
  return point.beta >= axes.low && point.beta <= axes.high && std::isfinite(point.value);
}

struct Label {
  double x = 0, y = 0;
  bool global = false;
  const PaCurve* curve = nullptr;
};

std::vector<Label> maxima_of(const PaCurve& curve) {
  std::vector<Label> out;
  if (curve.beta && curve.pa) out.push_back({*curve.beta, *curve.pa, true, &curve});
  for (const agreement::CurvePoint& point : curve.maxima) {
    const double y = point.value + curve.log_k;
    if (curve.beta && (point.beta == *curve.beta || std::abs(point.beta / *curve.beta - 1) < 1e-3)) continue;
    if (point.beta > 0) out.push_back({point.beta, y, false, &curve});
  }
  return out;
}

// Where a curve that is highest at infinity leaves the axis.
agreement::CurvePoint last_shown(const PaCurve& curve, const Axes& axes) {
  agreement::CurvePoint last{axes.high, curve.pa.value_or(0)};
  for (const agreement::CurvePoint& point : curve.points)
    if (shown(point, axes)) last = {point.beta, point.value + curve.log_k};
  return last;
}

// Labels stand in the empty upper left, each at the height of its maximum and joined to it by a line; one
// that would come within a line's height of the label above moves down.
Json label_rows(std::vector<Label> labels, const Axes& axes) {
  std::ranges::stable_sort(labels, std::greater(), &Label::y);
  const double line_height = .11 * (1 - below) * axes.log_k;
  double lowest = HUGE_VAL;  // middle of the lowest label so far
  std::size_t infinite = 0;
  Json rows = Json::array();
  for (const Label& label : labels) {
    const bool at_infinity = std::isinf(label.x);
    const double middle = std::min(label.y, lowest - line_height);
    if (label.global) lowest = middle;
    const agreement::CurvePoint last = last_shown(*label.curve, axes);
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

// One figure a panel, at most `series` lines each, with shared axes: beta (logarithmic) and A(beta) + log k.
std::vector<Chart> curve_charts(const std::vector<PaCurve>& curves) {
  const Axes axes = axes_of(curves);
  std::vector<Chart> charts;
  for (auto begin = curves.begin(); begin != curves.end();) {
    auto end = begin;
    Chart chart{"curve", begin->panel, "", ""};
    Json lines = Json::array();
    std::vector<Label> labels;
    for (; end != curves.end() && end - begin < std::ptrdiff_t{series} && end->panel == begin->panel; ++end) {
      for (const agreement::CurvePoint& point : end->points)
        if (shown(point, axes))
          lines.push_back({{"line", end->line},
                           {"slot", end->slot},
                           {"beta", brief(point.beta)},
                           {"a", brief(point.value)},
                           {"y", brief(point.value + end->log_k)}});
      for (const Label& label : maxima_of(*end)) labels.push_back(label);
      if (end->pa && end->beta)
        chart.description +=
            fmt::format("{}: PA {} at beta {}. ", end->line, fixed(*end->pa, 2), significant(*end->beta, 3));
    }
    chart.data = {{"lines", std::move(lines)}, {"maxima", label_rows(std::move(labels), axes)}};
    chart.signals = {{"low", brief(axes.low)},     {"high", brief(axes.high)},
                     {"log_k", brief(axes.log_k)}, {"bottom", brief(below * axes.log_k)},
                     {"ticks", ticks_of(axes)},    {"infinity", axes.infinity}};
    charts.push_back(std::move(chart));
    begin = end;
  }
  return charts;
}

}  // namespace

Section agreement_section(const Assess& record) {
  std::vector<PaCurve> curves;
  std::vector<const AssessResult*> known;
  for (const std::string& target : record.targets)
    for (const std::string& model : record.models) {
      const AssessResult* result = record.find(model, target);
      if (result == nullptr || !result->pa.value) continue;
      known.push_back(result);
      if (!result->curve.empty())
        curves.push_back({target, model, record.model_index(model) % series, record.log_k(), result->beta,
                          result->pa.value, result->curve, result->local_maxima});
    }
  if (curves.empty()) return {};
  const auto pa = [](const AssessResult* result) { return *result->pa.value; };
  const AssessResult &worst = **std::ranges::min_element(known, {}, pa),
                     &best = **std::ranges::max_element(known, {}, pa);
  const auto named = [&](const AssessResult& result) { return subject(record, result); };
  const std::string most = fixed(record.log_k(), 2), least = fixed(pa(&worst), 2);
  return {"agreement", "Agreement",
          &worst == &best ? fmt::format("{} has an agreement of {} (maximum {})", named(worst), least, most)
                          : fmt::format("Lowest agreement: {} ({}, maximum {}). Highest: {} ({})",
                                        named(worst), least, most, named(best), fixed(pa(&best), 2)),
          paragraph("Each line shows the agreement of the outputs before and after the shift as a function "
                    "of the inverse temperature β of the scores. On the left, all classes are equally "
                    "likely; on the right, every contradiction counts fully. PA is the highest point, which "
                    "is marked. A line that stays high on the right has no contradictions.") +
              chart_grid(curve_charts(curves))};
}

static std::vector<agreement::CurvePoint> points_of(std::vector<agreement::CurvePoint> curve) {
  std::erase_if(curve, [](const agreement::CurvePoint& point) { return std::isnan(point.value); });
  std::ranges::stable_sort(curve, {}, &agreement::CurvePoint::beta);
  return curve;
}

Section pa_curves_section(const PaView& record) {
  std::vector<PaCurve> curves;
  for (const std::string& shifted : record.shifted)
    for (const PaSet& result : record.results) {
      const agreement::Agreement& a = result.agreement;
      if (result.shift_name() != shifted || a.curve.empty()) continue;
      curves.push_back(
          {shifted, result.model.empty() ? "PA" : result.model, record.slot(result), result.log_k(), a.beta,
           pa_of(a).value, points_of(a.curve),
           record.models.size() > 1 ? std::vector<agreement::CurvePoint>{} : points_of(a.local_maxima)});
    }
  if (curves.empty()) return {};
  return {"agreement", "Agreement", "Agreement by the inverse temperature β of the scores",
          paragraph("PA is the highest point, which is marked. The lines connect the values computed in the "
                    "search; pa --curve adds more.") +
              chart_grid(curve_charts(curves))};
}

}  // namespace leeway::tasks
