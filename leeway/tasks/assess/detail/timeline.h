// A target over time: results of each chunk (chunks.h), and the source's bands (band.h).
//
// A chunk has accuracy, error estimates, mean confidence, drift, and agreement where the target's rows are
// pairs or the chunk is a file paired with the source (pairing.h). Left out, for cost or too few rows:
// classes, groups, confusion, flips, sub-groups, quality.
//
// Bound: for at most `most_bounds` chunks, one critic each, at 1 - delta / m, so that all m hold at
// once; for more, 50 ms a chunk would only show that most of a few hundred rows may be wrong. Drift:
// homogeneity of predicted classes and of every shared group, pooling values with fewer than 5 expected rows
// (p-values of drawn tables end at .0005, above what 1,000 chunks need); Kolmogorov-Smirnov on confidences.
// All tests of all chunks are one family (Holm). The tests and every measure with a band share 1 - level equally, so that
// nothing at all is raised at rest with probability level.
//
// Speed: docs/guides/time.md. Errors (Error): those of chunks.h. Interrupted on request. Deterministic for any
// number of threads and any order of rows.
#pragma once

#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/detail/summary.h"
#include "leeway/tasks/assess/timeline.h"

namespace leeway::assess {

inline constexpr std::size_t most_bounds = 100;

// `summary` is the target's.
[[nodiscard]] tasks::AssessTimeline timeline_of(const AnalysedSource& source, const Target& target,
                                                const Summary& summary, const Task& task, Progress* progress);

}  // namespace leeway::assess
