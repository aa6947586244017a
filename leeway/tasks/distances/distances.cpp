#include "leeway/tasks/distances/distances.h"

#include <fmt/format.h>

#include "leeway/agreement/distance.h"
#include "leeway/core/message.h"
#include "leeway/tasks/paired_rows.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

agreement::Sample sample_of(const std::string& name, const OutputsShards& set) {
  return {display_name(name), set.logits.joined(), set.rest.features, std::nullopt};
}

struct DistancesCleanSet {
  const std::string& name;
  OutputsShards outputs;
  agreement::Sample sample;
};

DistancesSet distances_of(const DistancesCleanSet& clean, const std::string& name,
                          const OutputsShards& shifted, const DistancesTask& task, Progress* progress) {
  DistancesSet set;
  set.shifted = name;
  set.n_clean = clean.outputs.n(), set.n_shifted = shifted.n(), set.k = shifted.k();
  std::vector<std::string_view> paired;  // what takes row i for row i
  for (const auto& [distance, value, missing] :
       agreement::measure_distances(clean.sample, sample_of(name, shifted), task.options.only, progress)) {
    set.distances[std::string(distance->name)] = value;
    if (!value) set.not_computed[std::string(distance->name)] = missing;
    if (value && distance->paired) paired.push_back(distance->name);
  }
  if (paired.empty()) return set;
  set.pairing =
      evidence_of({&clean.outputs.logits, &clean.outputs.rest, {}}, {&shifted.logits, &shifted.rest, {}});
  const std::string doubt = pair_doubt(set.pairing, clean.name, name);
  if (!doubt.empty()) set.doubt = fmt::format("{}: {}", fmt::join(paired, ", "), doubt);
  return set;
}

}  // namespace

Distances distances(const DistancesTask& task, Progress* progress) {
  if (task.shifted.empty()) refuse("distances", "at least one shifted set", "none");
  const TaskClock clock;
  Distances record;
  record.options = task.options;
  std::vector<std::string>& warnings = record.envelope.warnings;
  DistancesCleanSet clean{task.clean.name, task.clean.open(), {}};
  clean.sample = sample_of(clean.name, clean.outputs);
  number_first(clean.outputs, task.shifted, warnings);
  for (const NamedOutputs& named : task.shifted) {
    OutputsShards shifted = opened_like(clean.outputs, named, warnings);
    record.results.push_back(distances_of(clean, named.name, shifted, task, progress));
    if (const std::string& doubt = record.results.back().doubt; !doubt.empty()) warnings.push_back(doubt);
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
