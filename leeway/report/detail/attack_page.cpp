// The page of leeway attack: what is left of a model's predictions, and how far images had to move.
#include <fmt/format.h>

#include "leeway/record/attack.h"
#include "leeway/report/detail/lines.h"
#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

using record::Attack;
using record::AttackedSet;

std::string set_table(const Attack& record) {
  const std::vector<ColumnOf<AttackedSet>> columns = {
      {text_column("Model"),
       [](const AttackedSet& set) { return text_cell(set.model.empty() ? "the model" : set.model); }},
      {interval_column("Clean", "Share of clean images predicted as their label"),
       [](const AttackedSet& set) {
         return share_cell(measured(set.clean_accuracy, set.clean_accuracy_interval));
       }},
      {interval_column("Attacked", "Share of attacked images predicted as their label, or as before"),
       [](const AttackedSet& set) {
         return share_cell(measured(set.robust_accuracy, set.robust_accuracy_interval));
       }},
      {interval_column("Success", "Share of images that the model judges as the attack wants"),
       [](const AttackedSet& set) { return share_cell(measured(set.success, set.success_interval)); }},
      {interval_column("Median norm", "Half of the images moved as little or less"),
       [](const AttackedSet& set) {
         if (!set.norms) return dash_cell("the radius was given");
         const Measured median = measured(set.norms->median, set.norms->median_interval);
         return with_interval(significant_cell(median.value, 3), median,
                              significant(*median.low, 3) + "–" + significant(*median.high, 3));
       }},
      {number_column("No gradient", "Share of rows whose gradient is exactly 0: the attack cannot move them"),
       [](const AttackedSet& set) {
         return percent_cell(set.zero_gradient, 1, "the attack uses no gradients");
       }},
      {number_column("n"), [](const AttackedSet& set) { return count_cell(set.n); }}};
  return table_of("Before and after the attack", columns, record.results).html();
}

std::string curve(const Attack& record) {
  const AttackedSet& set = record.results.front();
  if (!set.norms || set.norms->curve.size() < 2) return "";
  Line line{"attacked", 0, {}};
  LineAxes axes;
  for (const record::RadiusPoint& point : set.norms->curve) {
    const Measured accuracy = measured(point.robust_accuracy, point.robust_accuracy_interval);
    const std::string radius = significant(point.radius, 3);
    line.points.push_back({point.radius, accuracy, radius,
                           fmt::format("within {}: {} withstand", radius, value_words(accuracy, true))});
    axes.x_high = point.radius;
  }
  constexpr std::size_t ticks = 4;
  for (std::size_t i = 0; i <= ticks; ++i) {
    axes.x_ticks.push_back(axes.x_high * static_cast<double>(i) / ticks);
    axes.x_names.push_back(significant(axes.x_ticks.back(), 2));
  }
  axes.x_title = "radius, " + record.options.norm;
  axes.percent = true;
  axes.height = 220;
  return panels_html(
      {line_chart("Accuracy under attack",
                  "share of images that withstand, by radius; the band is the 95% interval", {line}, axes)});
}

Section method_section(const Attack& record) {
  std::vector<std::string> items;
  for (const auto& [name, value] : record.options.parameters)
    if (value) items.push_back(fmt::format("{} {}", escape(name), significant(*value, 4)));
  const AttackedSet& set = record.results.front();
  if (set.beside_noise)
    items.push_back(
        fmt::format("The attack alone leaves {}, noise of the same radius alone {}; the worse of the two "
                    "counts for each image.",
                    percent(set.beside_noise->attack_robust_accuracy, 1),
                    percent(set.beside_noise->noise_robust_accuracy, 1)));
  items.push_back("An attack gives an upper bound on robust accuracy: a stronger one may find more.");
  return {
      "method", "Method",
      fmt::format("{} in {}{}", escape(record.options.attack), escape(record.options.norm),
                  record.options.eps ? " within " + significant(*record.options.eps, 3) : ", nearest image"),
      list_html(items)};
}

}  // namespace

std::string html_report(const Attack& record) {
  std::string lead;
  for (const std::string& finding : record.envelope.findings) lead += paragraph(escape(finding));
  return page("leeway: attack", record.envelope.headline, curve(record) + set_table(record) + lead,
              {method_section(record), source_section(record.envelope)});
}

}  // namespace leeway::report
