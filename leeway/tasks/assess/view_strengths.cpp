// Accuracy and agreement over the strength of a shift: targets that have one name but for the number at its end.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "leeway/describe/lines.h"
#include "leeway/io/csv.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t fewest = 3;  // strengths that make a curve

struct Named {
  std::string shift;
  double strength = 0;
};

// "noise 0.3", "noise-0.3", "noise:0.3", "pgd 8/255".
std::optional<Named> strengths_named(const std::string& target) {
  const std::size_t at = target.find_last_of(" -_:=@");
  if (at == target.npos || at == 0) return std::nullopt;
  const std::optional<double> strength = parse_fraction(std::string_view(target).substr(at + 1));
  if (!strength) return std::nullopt;
  return Named{target.substr(0, at), *strength};
}

struct Strong {
  double strength = 0;
  const AssessResult* result = nullptr;
};
using ByModel = std::map<std::string, std::vector<Strong>>;

// By shift, then by model, in the order of strengths; shifts of fewer than three strengths are left out.
std::map<std::string, ByModel> curves_of(const Assess& record) {
  std::map<std::string, ByModel> shifts;
  for (const AssessResult& result : record.results)
    if (const auto name = strengths_named(result.target))
      shifts[name->shift][result.model].push_back({name->strength, &result});
  for (auto& [shift, models] : shifts)
    for (auto& [model, points] : models) std::ranges::sort(points, {}, &Strong::strength);
  std::erase_if(shifts, [](const auto& shift) {
    return std::ranges::none_of(shift.second,
                                [](const auto& model) { return model.second.size() >= fewest; });
  });
  return shifts;
}

std::vector<Chart> charts_of(const Assess& record, const std::string& shift, const ByModel& models) {
  std::vector<double> strengths;
  for (const auto& [model, points] : models)
    for (const Strong& point : points) strengths.push_back(point.strength);
  const ValueAxis axis = value_axis(strengths);
  std::vector<Chart> charts;
  for (const ResultMeasure& measure : result_measures(record)) {
    std::vector<Line> lines;
    for (std::size_t m = 0; m < record.models.size() && lines.size() < series; ++m) {
      const auto found = models.find(record.models[m]);
      if (found == models.end()) continue;
      Line line{record.models.size() > 1 ? record.models[m] : measure.title, m % series, {}};
      for (const auto& [strength, result] : found->second) {
        const Measured& value = result->*measure.value;
        if (!value.value) continue;
        line.points.push_back(
            {axis.position(strength), value, fmt::format("{:g}", strength),
             fmt::format("{} {}\n{} {}\nn = {}", shift, significant(strength, 3), measure.title,
                         value_words(value, measure.percent), count(result->n))});
      }
      if (line.points.size() >= fewest) lines.push_back(std::move(line));
    }
    if (lines.empty()) continue;
    LineAxes axes = axis.axes(shift);
    axes.percent = measure.percent;
    axes.height = 220;
    axes.y_high = measure.top;
    charts.push_back(
        line_chart(measure.title, "bands: " + percent(record.level) + " intervals", lines, axes));
  }
  return charts;
}

// "cnn falls from 86% at noise 0.5 to 57% at 4": the model that loses most accuracy; empty without labels.
std::string largest_fall(const Assess& record, const std::string& shift, const ByModel& models) {
  double most = 0;
  std::string words;
  for (const auto& [model, points] : models) {
    const auto& [weak, first] = points.front();
    const auto& [strong, last] = points.back();
    if (!first->accuracy.value || !last->accuracy.value) continue;
    const double fall = *first->accuracy.value - *last->accuracy.value;
    if (fall <= most) continue;
    most = fall;
    words = fmt::format("{} from {} at {} {:.3g} to {} at {:.3g}",
                        record.models.size() > 1 ? model + " falls" : "Accuracy falls",
                        percent(first->accuracy), shift, weak, percent(last->accuracy), strong);
  }
  return words;
}

}  // namespace

Section strengths_section(const Assess& record) {
  Section section{"strengths", "Strengths", "", {}};
  std::vector<std::string> shifts, falls;
  for (const auto& [shift, models] : curves_of(record)) {
    const std::vector<Chart> charts = charts_of(record, shift, models);
    if (charts.empty()) continue;
    shifts.push_back(shift);
    if (const std::string fall = largest_fall(record, shift, models); !fall.empty()) falls.push_back(fall);
    section.body += subheading(shifts.back()) + chart_grid(charts);
  }
  section.heading = falls.empty() ? fmt::format("Results by the strength of {}", list_of(at_most(4, shifts)))
                                  : falls.front();
  return section;
}

}  // namespace leeway::tasks
