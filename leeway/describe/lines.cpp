#include "leeway/describe/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace leeway {
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
  return json_rows(ends, [](const End& end) -> Json {
    return {{"line", end.line->name}, {"slot", end.line->slot}, {"label_y", brief(end.label)}};
  });
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
  const double narrowest = std::isfinite(most - least) ? .01 * (most - least) : high > low ? 0 : 1;
  const double step = step_of(std::max(high - low, narrowest));
  axes.y_low = std::max(least, step * std::floor(low / step + 1e-9));
  axes.y_high = std::min(most, step * std::ceil(high / step - 1e-9));
  if (axes.y_low >= axes.y_high) {
    axes.y_low = std::max(least, axes.y_low - step);
    axes.y_high = std::min(most, axes.y_high + step);
  }
  return axes;
}

LineAxes counted_axes(std::size_t n, const std::string& x_title, const std::vector<std::string>& names) {
  LineAxes axes;
  axes.x_low = n == 1 ? 0 : 1;
  axes.x_high = n == 1 ? 2 : static_cast<double>(n);
  axes.x_title = x_title;
  for (std::size_t i = 0; i < n; i += std::max<std::size_t>(1, (n + 7) / 8)) {
    axes.x_ticks.push_back(static_cast<double>(i + 1));
    axes.x_names.push_back(names.empty() ? std::to_string(i + 1) : names[i]);
  }
  return axes;
}

LineAxes share_axes(double most, const std::string& x_title) {
  LineAxes axes;
  axes.x_high = most, axes.x_title = x_title;
  axes.percent = true, axes.height = 220;
  constexpr std::size_t ticks = 4;
  for (std::size_t i = 0; i <= ticks; ++i) {
    axes.x_ticks.push_back(most * static_cast<double>(i) / ticks);
    axes.x_names.push_back(significant(axes.x_ticks.back(), 2));
  }
  return axes;
}

double ValueAxis::position(double value) const { return logarithmic ? std::log10(value) : value; }

LineAxes ValueAxis::axes(const std::string& x_title) const {
  LineAxes axes;
  axes.x_title = x_title;
  axes.x_low = position(values.front());
  axes.x_high = position(values.back());
  if (axes.x_low == axes.x_high) axes.x_low -= 1, axes.x_high += 1;
  for (const double value : values) {
    axes.x_ticks.push_back(position(value));
    axes.x_names.push_back(value >= 1000 && value == std::floor(value) && value < 1e15
                               ? count(static_cast<std::size_t>(value))
                               : fmt::format("{:g}", value));
  }
  return axes;
}

ValueAxis value_axis(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  constexpr double wide = 20;
  const bool logarithmic = !values.empty() && values.front() > 0 && values.back() >= wide * values.front();
  return {std::move(values), logarithmic};
}

Chart line_chart(const std::string& title, const std::string& note, const std::vector<Line>& lines,
                 const LineAxes& axes, const std::vector<Span>& spans, const std::vector<Pick>& picks) {
  Chart chart{"lines", title, note, description(title, lines)};
  std::size_t longest = axes.name_length;
  Json points = Json::array(), chosen = Json::array();
  for (const Line& line : lines) {
    longest = std::max(longest, line.name.size());
    for (const LinePoint& point : line.points)
      points.push_back({{"line", line.name},
                        {"slot", line.slot},
                        {"x", brief(point.x)},
                        {"at", point.at},
                        {"y", brief(point.y.value)},
                        {"low", brief(point.y.low)},
                        {"high", brief(point.y.high)},
                        {"words", point.words}});
  }
  for (const auto& [x, slot, text] : picks)
    chosen.push_back({{"x", brief(x)}, {"slot", slot}, {"text", text}, {"rank", chosen.size()}});
  const auto span_row = [](const Span& span) -> Json {
    const auto& [from, to, y, text, words] = span;
    return {{"from", brief(from)}, {"to", brief(to)}, {"y", brief(y)}, {"text", text}, {"words", words}};
  };
  chart.data = {{"points", std::move(points)},
                {"ends", end_rows(lines, axes)},
                {"spans", json_rows(spans, span_row)},
                {"picks", std::move(chosen)}};
  chart.signals = {{"x_low", brief(axes.x_low)},
                   {"x_high", brief(axes.x_high)},
                   {"y_low", brief(axes.y_low)},
                   {"y_high", brief(axes.y_high)},
                   {"x_ticks", json_rows(axes.x_ticks, [](double tick) { return brief(tick); })},
                   {"x_names", axes.x_names},
                   {"x_title", axes.x_title},
                   {"y_ticks", ticks_of(axes)},
                   {"percent", axes.percent},
                   {"height", axes.height},
                   {"picked", picks.size()},
                   {"margin", std::min<std::size_t>(150, 14 + 8 * longest)}};
  return chart;
}

Blocks line_charts(const std::string& title, const std::string& note, const std::vector<Line>& lines,
                   const LineAxes& axes) {
  std::vector<Chart> charts;
  for (auto first = lines.begin(); first != lines.end();) {
    const auto last = first + std::min(std::ptrdiff_t{series}, lines.end() - first);
    charts.push_back(line_chart(title, note, {first, last}, axes));
    first = last;
  }
  return chart_grid(std::move(charts));
}

Blocks sigma_charts(const std::string& title, const std::string& note, std::vector<Line> lines,
                    const std::vector<double>& sigmas, double most) {
  if (lines.empty() || sigmas.size() < 2) return {};
  const ValueAxis axis = value_axis(sigmas);
  LineAxes axes = axis.axes(axis.logarithmic ? "σ, logarithmic" : "σ");
  axes.percent = true;
  axes.height = 220;
  for (Line& line : lines) {
    for (LinePoint& point : line.points) point.x = axis.position(point.x);
    axes.name_length = std::max(axes.name_length, line.name.size());
  }
  return line_charts(title, note, lines, fit_y(axes, lines, 0, most));
}

}  // namespace leeway
