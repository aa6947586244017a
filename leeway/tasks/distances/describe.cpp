#include <fmt/format.h>

#include "leeway/agreement/distance.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/agreement_fields.h"
#include "leeway/tasks/distances/distances.h"
#include "leeway/tasks/paired_rows.h"

namespace leeway::tasks {
namespace {

std::optional<double> value_of(const DistancesSet& set, std::string_view distance) {
  const auto found = set.distances.find(std::string(distance));
  return found == set.distances.end() ? std::nullopt : found->second;
}

// The first of the sets that are furthest; null where no set has the distance.
const DistancesSet* furthest(const Distances& record, std::string_view distance) {
  return lowest(record.results, [&](const DistancesSet& set) {
    const auto value = value_of(set, distance);
    return value ? std::optional(-*value) : value;
  });
}

}  // namespace

void fields(DistancesSet& set, Fields& f) {
  f("shifted", set.shifted, "path of the shifted outputs, as given");
  f("n_clean", set.n_clean, at_least(1), "number of clean samples");
  f("n_shifted", set.n_shifted, at_least(1), "number of shifted samples");
  f("k", set.k, at_least(2), "number of classes");
  f("distances", set.distances, at_least(0),
    "distances by name, all or those in --only; null if the files do not permit the distance");
  f("not_computed", set.not_computed, "why a distance is null, by name");
  f("pairing", set.pairing,
    "evidence that row i is the same sample in both sets; null if no distance compares row by row");
  f.unless_empty("doubt", set.doubt, "why the rows may not be pairs; null if there is no doubt");
}

void fields(DistancesOptions& options, Fields& f) {
  f.choice("only", options.only, choices_of(agreement::distances()),
           "distances to compute, separated by commas (default: all)");
  fields(static_cast<OutputsReading&>(options), f);
}

std::string headline_of(const Distances& record) {
  const bool one_set = record.results.size() == 1;
  std::vector<std::string> sets;
  for (const DistancesSet& set : record.results) {
    std::vector<std::string> own;  // distances by which no set is further
    for (const agreement::Distance& distance : agreement::distances())
      if (furthest(record, distance.name) == &set)
        own.push_back(
            one_set ? fmt::format("{} is {}", distance.name, significant(*value_of(set, distance.name), 3))
                    : std::string(distance.name));
    if (!own.empty())
      sets.push_back(
          fmt::format("{}{} {}", display_name(set.shifted), one_set ? "," : " by", fmt::join(own, ", ")));
  }
  if (sets.empty()) return "No distance can be computed for these sets.";
  return fmt::format("{} {}.", one_set ? "Between the clean set and" : "Furthest from the clean set:",
                     fmt::join(sets, "; "));
}

std::vector<std::string> findings_of(const Distances& record) { return doubts_of(record.results); }

}  // namespace leeway::tasks
