// The pages of leeway align and leeway distances.
#include <fmt/format.h>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

// Classes of the projections shown, in order; none where there are no labels or more than a chart has shapes.
std::vector<std::string> classes_of(const Align& record) {
  std::vector<std::string> classes;
  for (const AlignSet& set : record.results)
    for (const std::string& name : set.projection_labels) append_new(classes, name);
  std::ranges::sort(classes);
  return classes.size() <= series ? classes : std::vector<std::string>{};
}

Json points_of(const AlignSet& set, const std::vector<std::string>& classes) {
  Json points = Json::array();
  for (std::size_t i = 0; i < set.found.clean.projections.size(); ++i) {
    const std::string name = set.projection_labels.empty() ? "" : set.projection_labels[i];
    const auto found = std::ranges::find(classes, name);
    const double clean = set.found.clean.projections[i], shifted = set.found.shifted.projections[i];
    points.push_back({{"class", name},
                      {"slot", found == classes.end() ? 0 : found - classes.begin()},
                      {"clean", brief(clean)},
                      {"shifted", brief(shifted)},
                      {"words", fmt::format("{}clean {}\nshifted {}", name.empty() ? "" : name + "\n",
                                            fixed(clean, 2), fixed(shifted, 2))}});
  }
  return points;
}

Blocks scatter_charts(const Align& record) {
  const std::vector<std::string> classes = classes_of(record);
  std::vector<Chart> charts;
  for (const AlignSet& set : record.results) {
    charts.push_back(
        {"alignment",
         set.shifted,
         fmt::format("error {}, angle {}°", significant(set.found.cross_domain_error, 2),
                     fixed(set.found.angle, 0)),
         fmt::format("Projections of {} pairs on the first principal direction, clean against {}",
                     count(set.found.clean.projections.size()), set.shifted),
         {{"points", points_of(set, classes)}}});
  }
  return (classes.empty() ? Blocks() : model_legend(classes)) + chart_grid(charts, 6);
}

Blocks set_table(const Align& record) {
  using One = AlignSet;
  const auto within = [](const agreement::PrincipalDirection& direction) {
    return share_cell(measured(direction.class_variance), "the files have no labels");
  };
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Shifted"), &One::shifted},
      {interval_column("Cross-domain error",
                       "Mean squared difference of a pair's projections, scaled to [-1, 1] in each set"),
       [](const One& one) {
         const Measured error = measured(one.found.cross_domain_error, one.found.cross_domain_error_interval);
         return significant_cell(error, 3);
       }},
      {number_column("Angle", "Angle between the first principal directions of the two sets, in degrees"),
       [](const One& one) { return fixed_cell(one.found.angle, 1); }},
      {number_column("Correlation", "Correlation of a pair's projections"),
       [](const One& one) { return fixed_cell(one.found.correlation, 3); }},
      {number_column("Explained, clean", "Share of the variance of the features along the direction"),
       [](const One& one) { return percent_cell(one.found.clean.explained, 0); }},
      {number_column("Explained, shifted"),
       [](const One& one) { return percent_cell(one.found.shifted.explained, 0); }},
      {interval_column("Within classes, clean", "Share of the variance of the projections within classes"),
       [=](const One& one) { return within(one.found.clean); }},
      {interval_column("Within classes, shifted"), [=](const One& one) { return within(one.found.shifted); }},
      {number_column("Pairs"), &One::n}};
  return table_of("Every shifted set", columns, record.results).block();
}

// -- Distances

std::vector<std::string> names_of(const Distances& record) {
  std::vector<std::string> names;
  for (const DistancesSet& set : record.results)
    for (const auto& [name, value] : set.distances) append_new(names, name);
  return names;
}

// Shaded by the share of the largest value of its distance: scales of two distances say nothing of each other.
Cell distance_cell(const DistancesSet& set, const std::string& name, double largest) {
  const auto value = set.distances.find(name);
  if (value == set.distances.end() || !value->second) {
    const auto reason = set.not_computed.find(name);
    return dash_cell(reason == set.not_computed.end() ? "" : reason->second);
  }
  Cell cell = significant_cell(value->second, 4);
  if (largest > 0) cell.shade = -.8 * *value->second / largest;
  return cell;
}

Blocks set_table(const Distances& record) {
  std::vector<ColumnOf<DistancesSet>> columns = {{text_column("Shifted set"), &DistancesSet::shifted}};
  for (const std::string& name : names_of(record)) {
    double largest = 0;
    for (const DistancesSet& set : record.results)
      if (const auto found = set.distances.find(name);
          found != set.distances.end() && record.results.size() > 1)
        largest = std::max(largest, found->second.value_or(0));
    columns.push_back({number_column(name), [name, largest](const DistancesSet& set) {
                         return distance_cell(set, name, largest);
                       }});
  }
  columns.push_back({number_column("n"), &DistancesSet::n_shifted});
  return table_of("Distance of every shifted set from the clean set", columns, record.results).block();
}

}  // namespace

View view(const Align& record) {
  Blocks lead = paragraph(
      "Each sample is projected onto the direction of largest variance in its set. On the dashed line, both "
      "sets have the same projection. If the task determines the direction, classes are separated and lie "
      "near the line; if the shift determines the direction, they do not.");
  return view_of("feature alignment", record.envelope,
                 std::move(lead) + scatter_charts(record) + in_both(set_table(record)));
}

View view(const Distances& record) {
  Blocks lead = paragraph(
      "Each distance has its own scale; darker cells are closer to the largest value in their column. 0 "
      "means no difference.");
  return view_of("distances", record.envelope, in_both(set_table(record)) + std::move(lead));
}

}  // namespace leeway::tasks
