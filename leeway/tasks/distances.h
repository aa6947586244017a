// Distances of shifted sets of outputs from a clean one.
//
// The clean set stays open; shifted ones are opened one at a time. A distance that the sets do not permit has
// no value but a reason. For distances that pair rows, the record gives the evidence that rows are pairs.
// Errors (Error): no shifted set, sets that differ (core/columns.h), an unknown name in
// DistancesOptions::only; those of opening sets and of agreement/distance.h. Interrupted on request. Cost and
// determinism: as there.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/record/distances.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

struct DistancesTask {
  NamedOutputs clean;
  std::vector<NamedOutputs> shifted;
  record::DistancesOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] record::Distances distances(const DistancesTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
