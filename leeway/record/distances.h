// The record of leeway distances: distances of shifted sets of outputs from the clean one
// (agreement/distance.h). One result for each shifted set, in order. docs/schema/distances.md lists the keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/agreement/pair_evidence.h"
#include "leeway/record/envelope.h"
#include "leeway/record/reading.h"

namespace leeway::record {

inline constexpr std::string_view distances_schema = "leeway.distances/2";
inline constexpr std::string_view distances_results = "one for each shifted set, in the order given";

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
// Rows that need not be pairs.
[[nodiscard]] std::vector<std::string> findings_of(const Distances& record);

}  // namespace leeway::record
