// PCA feature alignment of shifted sets of outputs with a clean one (agreement/alignment.h). Classes are the
// clean set's labels. The clean set stays open; shifted ones are opened one at a time.
// Errors (Error): no shifted set, a set without features, sets of different lengths; those of opening sets
// and of agreement/alignment.h. Interrupted between sets on request. Cost and determinism: as there.
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

[[nodiscard]] record::Align align(const AlignTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
