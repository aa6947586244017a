// A target over time: what can be said of each of its chunks (chunks.h), and where chunks of the source would lie
// (band.h).
//
// Of a chunk as of a target: accuracy; agreement where the target's rows are pairs, or where the chunk is a file of as
// many rows as the source that is paired with it (pairing.h); estimates of the error; the mean confidence; drift. Left
// out, for cost or since a chunk has too few rows for them: classes, groups, confusion, flips, sub-groups, quality.
//
// likely_error: one method for all chunks, that of the whole target (answer.h), since a line that changes its method
// jumps where nothing happened; `low` to `high` over the same estimates as there.
// Bound: for at most `most_bounds` chunks, with one critic each and at 1 - delta / m, so that all m hold at once.
// Beyond that it would take 50 ms a chunk to say that of a few hundred rows most may be wrong.
// Drift: homogeneity of predicted classes and of every group that both name, where values of which a chunk is expected
// to have fewer than 5 rows count as one (p-values of drawn tables end at .0005, above what 1,000 chunks need);
// confidences by Kolmogorov and Smirnov. All tests of all chunks are one family (Holm).
//
// Measured (docs/time.md): 1,000 chunks of 500 rows, 10 classes, against 10,000 source rows.
// Errors (Error): those of chunks.h. Interrupted on request. Deterministic for any number of threads; the order of rows
// changes nothing.
#pragma once

#include "leeway/record/assess_timeline.h"
#include "leeway/tasks/assess/detail/summary.h"
#include "leeway/tasks/assess/inputs.h"

namespace leeway::assess {

inline constexpr std::size_t most_bounds = 100;

// Whether the task asks for one of this target.
[[nodiscard]] bool has_timeline(const Target& target, const Task& task);

// `summary` is the target's.
[[nodiscard]] record::AssessTimeline timeline_of(const AnalysedSource& source, const Target& target,
                                                 const Summary& summary, const Task& task,
                                                 Progress* progress);

}  // namespace leeway::assess
