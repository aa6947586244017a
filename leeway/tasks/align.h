// What leeway align computes: PCA feature alignment of shifted sets of outputs with a clean one (agreement/alignment.h).
//
// The clean set stays open, the shifted ones are opened one after another. Classes are the clean set's labels.
//
// Errors (Error): no shifted set, a set without features, sets of different lengths; those of what opens sets and of
// agreement/alignment.h. Interrupted between sets, where `progress` asks to stop. Cost and determinism: agreement/alignment.h.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/record/align.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

struct AlignTask {
  NamedOutputs clean;
  std::vector<NamedOutputs> shifted;
  record::AlignOptions options = {};
  std::uint64_t seed = 0;
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Align align(const AlignTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
