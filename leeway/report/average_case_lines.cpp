#include "leeway/report/average_case_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace leeway::report {

double ValueAxis::position(double value) const { return logarithmic ? std::log10(value) : value; }

void ValueAxis::put_on(LineAxes& axes) const {
  axes.x_low = position(values.front());
  axes.x_high = position(values.back());
  if (axes.x_low == axes.x_high) axes.x_low -= 1, axes.x_high += 1;
  for (const double value : values) {
    axes.x_ticks.push_back(position(value));
    axes.x_names.push_back(value >= 1000 && value == std::floor(value) && value < 1e15
                               ? count(static_cast<std::size_t>(value))
                               : fmt::format("{:g}", value));
  }
}

ValueAxis value_axis(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  constexpr double wide = 20;
  const bool logarithmic = !values.empty() && values.front() > 0 && values.back() >= wide * values.front();
  return {std::move(values), logarithmic};
}

std::string sigma_charts(const std::string& title, const std::string& note, std::vector<Line> lines,
                         const std::vector<double>& sigmas, double most) {
  if (lines.empty() || sigmas.size() < 2) return "";
  const ValueAxis axis = value_axis(sigmas);
  LineAxes axes;
  axis.put_on(axes);
  axes.x_title = axis.logarithmic ? "σ, logarithmic" : "σ";
  axes.percent = true;
  axes.height = 220;
  for (Line& line : lines) {
    for (LinePoint& point : line.points) point.x = axis.position(point.x);
    axes.name_length = std::max(axes.name_length, line.name.size());
  }
  axes = fit_y(axes, lines, 0, most);
  std::vector<Chart> charts;
  for (std::size_t first = 0; first < lines.size(); first += series) {
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
    const auto some = static_cast<std::ptrdiff_t>(std::min(series, lines.size() - first));
    charts.push_back(line_chart(title, note, {begin, begin + some}, axes));
  }
  return panels_html(charts);
}

}  // namespace leeway::report
