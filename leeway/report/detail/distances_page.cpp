// The page of leeway distances: every distance of every shifted set from the clean one.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/text.h"
#include "leeway/record/distances.h"
#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

using record::Distances;
using record::DistancesSet;

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

std::string set_table(const Distances& record) {
  std::vector<ColumnOf<DistancesSet>> columns = {
      {text_column("Shifted set"),
       [](const DistancesSet& set) { return text_cell(printable(set.shifted, std::string::npos)); }}};
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
  columns.push_back({number_column("n"), [](const DistancesSet& set) { return count_cell(set.n_shifted); }});
  return table_of("Distance of every shifted set from the clean one", columns, record.results).html();
}

}  // namespace

std::string html_report(const Distances& record) {
  std::string lead = paragraph(
      "Each column is a distance of its own scale; the darker a cell, the closer to the largest of "
      "its column. 0 is no difference.");
  for (const std::string& finding : record.envelope.findings) lead += paragraph(escape(finding));
  return page("leeway: distances", record.envelope.headline, set_table(record) + lead,
              {source_section(record.envelope)});
}

}  // namespace leeway::report
