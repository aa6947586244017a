// What leeway distances computes: distances of shifted sets of outputs from a clean one, beside which agreement is read.
//
// The clean set stays open, the shifted ones are opened one after another. A distance that the sets do not permit has no
// value, and the record says why. Where one takes row i for row i, the record says what shows that they are pairs.
//
// Errors (Error): no shifted set, sets that are not alike (core/columns.h), a name in DistancesOptions::only that is no distance;
// those of what opens sets and of agreement/distance.h. Interrupted, where `progress` asks to stop. Cost and determinism:
// agreement/distance.h.
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

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Distances distances(const DistancesTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
