// leeway align: PCA feature alignment of shifted sets of outputs with a clean one (agreement/alignment.h):
// whether the strongest direction of the features outlasts a shift. Classes are the clean set's labels. The
// clean set stays open; shifted ones are opened one at a time. Keys: leeway schema align.
// Errors (Error): no shifted set, a set without features, sets of different lengths; those of opening sets
// and of agreement/alignment.h. Interrupted between sets on request. Cost and determinism: as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/agreement/alignment.h"
#include "leeway/agreement/pair_evidence.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view align_schema = "leeway.align/2";
inline constexpr std::string_view align_results = "one result for each shifted set, in the order given";

struct AlignOptions : OutputsReading {
  bool standardise = false;
  std::optional<std::size_t> sample;  // pairs; none: all
  std::size_t replicates = 1000;
};

struct AlignSet {
  std::string shifted;  // the path as it was given
  std::size_t n = 0, d = 0;
  agreement::Alignment found;                  // its projections are of at most 1000 rows, evenly
  std::vector<std::string> projection_labels;  // of these; empty: no labels
  std::optional<agreement::PairEvidence> pairing;
  std::string doubt;  // why rows need not be pairs; empty where nothing speaks against it
};

using Align = RecordOf<align_schema, AlignOptions, AlignSet, align_results>;

void fields(AlignOptions& options, Fields& f);
void fields(AlignSet& set, Fields& f);

// By how much, and what part of it the classes are. At least one result.
[[nodiscard]] std::string headline_of(const Align& record);
[[nodiscard]] std::vector<std::string> findings_of(const Align& record);

struct AlignTask {
  NamedOutputs clean;
  std::vector<NamedOutputs> shifted;
  AlignOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] Align align(const AlignTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const Align& record);

}  // namespace leeway::tasks
