// leeway distances: distances of shifted sets of outputs from a clean one (agreement/distance.h). Keys:
// leeway schema distances.
//
// The clean set stays open; shifted ones are opened one at a time. A distance that the sets do not permit has
// no value but a reason. For distances that pair rows, the record gives the evidence that rows are pairs.
// Errors (Error): no shifted set, sets that differ (io/columns.h), an unknown name in
// DistancesOptions::only; those of opening sets and of agreement/distance.h. Interrupted on request. Cost and
// determinism: as there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/agreement/pair_evidence.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view distances_schema = "leeway.distances/2";
inline constexpr std::string_view distances_results = "one result for each shifted set, in the order given";

struct DistancesOptions : OutputsReading {
  std::vector<std::string> only;  // names; empty: every distance
};

// By the names of agreement::distances().
struct DistancesSet {
  std::string shifted;  // the path as it was given
  std::size_t n_clean = 0, n_shifted = 0, k = 0;
  std::map<std::string, std::optional<double>> distances;
  std::map<std::string, std::string> not_computed;  // why a distance is not there
  std::optional<agreement::PairEvidence> pairing;   // where a distance takes row i for row i
  std::string doubt;  // why rows need not be pairs; empty where nothing speaks against it
};

using Distances = RecordOf<distances_schema, DistancesOptions, DistancesSet, distances_results>;

void fields(DistancesOptions& options, Fields& f);
void fields(DistancesSet& set, Fields& f);

// Which set is furthest by which distance; of one set, the distances. At least one result.
[[nodiscard]] std::string headline_of(const Distances& record);
[[nodiscard]] std::vector<std::string> findings_of(const Distances& record);

struct DistancesTask {
  NamedOutputs clean;
  std::vector<NamedOutputs> shifted;
  DistancesOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] Distances distances(const DistancesTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const Distances& record);

}  // namespace leeway::tasks
