// The page of leeway attack: what is left of a model's predictions, and how far images had to move.
#include <fmt/format.h>

#include "leeway/core/message.h"
#include "leeway/describe/lines.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/sections.h"
#include "leeway/tasks/set_names.h"

namespace leeway::tasks {
namespace {

// What differs among the sets names them: the model always.
std::vector<ColumnOf<AttackedSet>> name_columns(const Attack& record) {
  const SetNames names(record.results);
  std::vector<ColumnOf<AttackedSet>> columns = {
      {text_column("Model"),
       [](const AttackedSet& set) { return text_cell(set.model.empty() ? "the model" : set.model); }}};
  if (names.data()) columns.push_back({text_column("Data"), &AttackedSet::data});
  if (record.results.size() > 1) {
    columns.push_back({text_column("Attack"), &AttackedSet::attack});
    columns.push_back(
        {number_column("Radius", fmt::format("In {}", name_of(record.options.norm))),
         [](const AttackedSet& set) { return significant_cell(set.eps, 3, "minimum-norm attack"); }});
  }
  return columns;
}

// Shares of the rows, and the median norm.
std::vector<ColumnOf<AttackedSet>> measures() {
  const auto share = [](double AttackedSet::*value, Interval AttackedSet::*interval) {
    return [=](const AttackedSet& set) { return share_cell(measured(set.*value, set.*interval)); };
  };
  return {{interval_column("Clean", "Share of clean images classified correctly"),
           share(&AttackedSet::clean_accuracy, &AttackedSet::clean_accuracy_interval)},
          {interval_column("Attacked",
                           "Share of attacked images classified correctly (or with the clean prediction)"),
           share(&AttackedSet::robust_accuracy, &AttackedSet::robust_accuracy_interval)},
          {interval_column("Success", "Share of all images with a successful attack, as most papers report"),
           share(&AttackedSet::success, &AttackedSet::success_interval)},
          {interval_column(
               "Success if right",
               "Successful attacks as a share of correctly predicted clean images (Foolbox, RobustBench)"),
           [](const AttackedSet& set) {
             return share_cell(measured(set.success_of_right), "no image was right");
           }},
          {interval_column("Median norm", "Median norm of the perturbations"), [](const AttackedSet& set) {
             if (!set.norms) return dash_cell("fixed radius");
             return significant_cell(measured(set.norms->median, set.norms->median_interval), 3);
           }}};
}

Blocks set_table(const Attack& record, const std::string& caption, const std::vector<AttackedSet>& sets,
                 const std::vector<ColumnOf<AttackedSet>>& more) {
  std::vector<ColumnOf<AttackedSet>> columns = name_columns(record);
  const std::size_t headers = columns.size();
  for (ColumnOf<AttackedSet>& one : measures()) columns.push_back(std::move(one));
  columns.insert(columns.end(), more.begin(), more.end());
  return table_of(caption, columns, sets).block(headers);
}

// The sets' columns, with the names of all attacks.
Blocks worst_table(const Attack& record) {
  std::vector<AttackedSet> sets(record.worst_cases.begin(), record.worst_cases.end());
  for (std::size_t i = 0; i < sets.size(); ++i) sets[i].attack = list_of(record.worst_cases[i].attacks);
  return set_table(record, "Worst case of each image over several attacks", sets, {});
}

// What withstands over the radius: a line for each model, set and attack that has two radii or more.
Blocks radii_chart(const Attack& record) {
  const SetNames names(record.results);
  std::vector<double> radii;
  for (const AttackedSet& set : record.results)
    if (set.eps) radii.push_back(*set.eps);
  if (radii.empty()) return {};
  const ValueAxis axis = value_axis(radii);
  std::vector<Line> lines;
  for (const AttackedSet& set : record.results) {
    if (!set.eps) continue;
    const std::string files = names.of_files(set),
                      name = files.empty() ? set.attack : files + ", " + set.attack;
    if (lines.empty() || lines.back().name != name) lines.push_back({name, lines.size() % series, {}});
    const Measured left = measured(set.robust_accuracy, set.robust_accuracy_interval);
    const std::string radius = significant(*set.eps, 3);
    lines.back().points.push_back(
        {axis.position(*set.eps), left, radius,
         fmt::format("radius {}: {} withstand\nn = {}", radius, value_words(left, true), count(set.n))});
  }
  std::erase_if(lines, [](const Line& line) { return line.points.size() < 2; });
  for (Line& line : lines) std::ranges::sort(line.points, {}, &LinePoint::x);
  if (lines.empty()) return {};
  LineAxes axes = axis.axes(fmt::format("radius, {}", name_of(record.options.norm)));
  axes.percent = true;
  axes.height = 220;
  return line_charts("Accuracy under attack",
                     "share of images that withstand, by radius; bands are 95% intervals", lines, axes);
}

Blocks curve(const Attack& record) {
  if (record.results.size() > 1) return radii_chart(record);
  const AttackedSet& set = record.results.front();
  if (!set.norms || set.norms->curve.size() < 2) return {};
  Line line{"attacked", 0, {}};
  for (const RadiusPoint& point : set.norms->curve) {
    const Measured accuracy = measured(point.robust_accuracy, point.robust_accuracy_interval);
    const std::string radius = significant(point.radius, 3);
    line.points.push_back({point.radius, accuracy, radius,
                           fmt::format("within {}: {} withstand", radius, value_words(accuracy, true))});
  }
  const LineAxes axes =
      share_axes(set.norms->curve.back().radius, fmt::format("radius, {}", name_of(record.options.norm)));
  return chart_grid(
      {line_chart("Accuracy under attack",
                  "share of images that withstand, by radius; the band is the 95% interval", {line}, axes)});
}

Section method_section(const Attack& record) {
  const bool several = record.results.size() > 1;
  std::vector<std::string> items, attacks;
  for (const AttackedSet& set : record.results) {
    const std::string before = several ? (set.out.empty() ? set.attack : set.out) + ": " : "";
    std::string parameters;
    for (const auto& [name, value] : set.parameters)
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", name, significant(value, 4));
    append_new(attacks, set.attack);
    if (!parameters.empty()) append_new(items, several ? set.attack + ": " + parameters : parameters);
    for (const attack::Stage& stage : set.stages)
      items.push_back(before + fmt::format("{} withstand {}{}.", percent(stage.accuracy, 1), stage.attack,
                                           &stage == set.stages.data() ? "" : " as well"));
    if (set.repeats)
      items.push_back(
          before +
          fmt::format("Every step averages {0} passes of the model. Robust accuracy is {1}, the mean over "
                      "{0} evaluation passes.",
                      set.repeats->draws,
                      share_words(set.repeats->robust_accuracy, set.repeats->robust_accuracy_interval)));
    if (const auto& asked = set.endpoint)
      items.push_back(
          before + fmt::format("{} requests to {}, including {} retries; {} prompt tokens, {} answer tokens.",
                               count(asked->requests), asked->host, count(asked->retries),
                               count(asked->prompt_tokens), count(asked->completion_tokens)));
    if (set.beside_noise)
      items.push_back(
          before + fmt::format("Robust accuracy is {} under the attack alone and {} under noise of {}; the "
                               "worse of the two counts for each image.",
                               percent(set.beside_noise->attack_accuracy, 1),
                               percent(set.beside_noise->noise_accuracy, 1),
                               set.eps ? "the same radius" : "growing radius"));
  }
  items.push_back(
      "An attack gives an upper bound on robust accuracy: a stronger attack may find a lower value.");
  const auto& eps = record.results.front().eps;
  return {"method", "Method",
          fmt::format("{} in {}{}", list_of(attacks), name_of(record.options.norm),
                      several ? ""
                      : eps   ? " within " + significant(*eps, 3)
                              : ", minimum norm"),
          bullets(items)};
}

}  // namespace

View view(const Attack& record) {
  const std::vector<ColumnOf<AttackedSet>> more = {
      {number_column("No gradient", "Share of rows whose gradient is exactly 0, so that the attack fails"),
       [](const AttackedSet& set) {
         return percent_cell(set.zero_gradient, 1, "the attack uses no gradients");
       }},
      {number_column("n"), &AttackedSet::n},
      {text_column("File"), &AttackedSet::out}};
  return view_of("attack", record.envelope,
                 curve(record) + in_both(worst_table(record)) +
                     in_both(set_table(record, "Before and after the attack", record.results, more)),
                 {method_section(record)});
}

}  // namespace leeway::tasks
