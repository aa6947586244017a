#include "leeway/report/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace leeway::report {
namespace {

// 1, 2 or 5 times a power of ten, some four to the range.
double step_of(double range) {
  const double power = std::pow(10., std::floor(std::log10(range / 3)));
  for (const double step : {1., 2., 5.})
    if (range / (step * power) <= 5) return step * power;
  return 10 * power;
}

Json ticks_of(const LineAxes& axes) {
  Json ticks = Json::array();
  const double step = step_of(axes.y_high - axes.y_low);
  for (double tick = std::ceil(axes.y_low / step - 1e-9); tick * step <= axes.y_high + 1e-9 * step; ++tick)
    ticks.push_back(brief(tick * step));
  return ticks;
}

const LinePoint* last_known(const Line& line) {
  const LinePoint* last = nullptr;
  for (const LinePoint& point : line.points)
    if (point.y.value) last = &point;
  return last;
}

// Names stand at the ends of their lines, moved apart where they would touch.
Json end_rows(const std::vector<Line>& lines, const LineAxes& axes) {
  struct End {
    const Line* line;
    double y, label;
  };
  std::vector<End> ends;
  for (const Line& line : lines)
    if (const LinePoint* last = last_known(line)) ends.push_back({&line, *last->y.value, *last->y.value});
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.y > b.y; });
  const double text_height = 15 * (axes.y_high - axes.y_low) / static_cast<double>(axes.height);
  for (std::size_t i = 1; i < ends.size(); ++i)
    ends[i].label = std::min(ends[i].label, ends[i - 1].label - text_height);
  double lowest = axes.y_low;
  for (std::size_t i = ends.size(); i-- > 0; lowest = ends[i].label + text_height)
    ends[i].label = std::max(ends[i].label, lowest);
  Json rows = Json::array();
  for (const End& end : ends)
    rows.push_back({{"line", end.line->name}, {"slot", end.line->slot}, {"label_y", brief(end.label)}});
  return rows;
}

Json point_rows(const std::vector<Line>& lines) {
  Json rows = Json::array();
  for (const Line& line : lines)
    for (const LinePoint& point : line.points)
      rows.push_back({{"line", line.name},
                      {"slot", line.slot},
                      {"x", brief(point.x)},
                      {"at", point.at},
                      {"y", brief(point.y.value)},
                      {"low", brief(point.y.low)},
                      {"high", brief(point.y.high)},
                      {"words", point.words}});
  return rows;
}

Json span_rows(const std::vector<Span>& spans) {
  Json rows = Json::array();
  for (const Span& span : spans)
    rows.push_back({{"from", brief(span.from)},
                    {"to", brief(span.to)},
                    {"y", brief(span.y)},
                    {"text", span.text},
                    {"words", span.words}});
  return rows;
}

Json pick_rows(const std::vector<Pick>& picks) {
  Json rows = Json::array();
  for (const Pick& pick : picks)
    rows.push_back({{"x", brief(pick.x)}, {"slot", pick.slot}, {"text", pick.text}, {"rank", rows.size()}});
  return rows;
}

std::string description(const std::string& title, const std::vector<Line>& lines) {
  std::string out = title + ". ";
  for (const Line& line : lines) {
    const LinePoint* last = last_known(line);
    if (last != nullptr)
      out += fmt::format("{}: from {} to {} at {}. ", line.name,
                         significant(line.points.front().y.value.value_or(NAN), 3),
                         significant(*last->y.value, 3), last->at);
  }
  return out;
}

}  // namespace

LineAxes fit_y(LineAxes axes, const std::vector<Line>& lines, double least, double most) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Line& line : lines)
    for (const LinePoint& point : line.points)
      for (const auto& value : {point.y.value, point.y.low, point.y.high})
        if (value && std::isfinite(*value)) {
          low = std::min(low, *value);
          high = std::max(high, *value);
        }
  if (!(low <= high)) return axes;
  const double step = step_of(std::max(high - low, .01 * (most - least)));
  axes.y_low = std::max(least, step * std::floor(low / step + 1e-9));
  axes.y_high = std::min(most, step * std::ceil(high / step - 1e-9));
  if (axes.y_low >= axes.y_high) {
    axes.y_low = std::max(least, axes.y_low - step);
    axes.y_high = std::min(most, axes.y_high + step);
  }
  return axes;
}

Chart line_chart(const std::string& title, const std::string& note, const std::vector<Line>& lines,
                 const LineAxes& axes, const std::vector<Span>& spans, const std::vector<Pick>& picks) {
  Chart chart{"lines", title, note, description(title, lines)};
  std::size_t longest = axes.name_length;
  for (const Line& line : lines) longest = std::max(longest, line.name.size());
  Json ticks = Json::array();
  for (const double tick : axes.x_ticks) ticks.push_back(brief(tick));
  chart.data = {{"points", point_rows(lines)},
                {"ends", end_rows(lines, axes)},
                {"spans", span_rows(spans)},
                {"picks", pick_rows(picks)}};
  chart.signals = {{"x_low", brief(axes.x_low)}, {"x_high", brief(axes.x_high)},
                   {"y_low", brief(axes.y_low)}, {"y_high", brief(axes.y_high)},
                   {"x_ticks", ticks},           {"x_names", axes.x_names},
                   {"x_title", axes.x_title},    {"y_ticks", ticks_of(axes)},
                   {"percent", axes.percent},    {"height", axes.height},
                   {"picked", picks.size()},     {"margin", std::min<std::size_t>(150, 14 + 8 * longest)}};
  chart.numbers = {
      "points", {{"Line", "line"}, {axes.x_title, "at"}, {"Value", "y"}, {"Low", "low"}, {"High", "high"}}};
  return chart;
}

}  // namespace leeway::report
