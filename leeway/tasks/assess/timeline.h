// Part of the record of leeway assess: a target over time (tasks/assess/detail/timeline.h). Keys of a chunk
// with the name of a result's key have the same meaning, for the chunk's rows.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/describe/fields.h"

namespace leeway::tasks {

// Where chunks of the source as large as this one fall (tasks/assess/detail/band.h).
struct TimelineBand {
  std::optional<double> low, high;
  bool below = false, above = false;  // the chunk is outside
  [[nodiscard]] bool outside() const { return below || above; }
};

struct ChunkError {
  Measured error;            // with the interval of its sampling error
  double low = 0, high = 0;  // the likely range
};

struct ChunkConfidence {
  double shifted_mean = 0;
};

struct ChunkTest {
  std::string name;  // of the group; else as in results
  double p_alone = 1, p_value = 1;
  std::optional<double> distance;
};

struct ChunkDrift {
  ChunkTest classes, confidence;
  std::optional<ChunkTest> worst_group, features;
  double p_value = 1;  // the least
};

struct ChunkBands {
  TimelineBand accuracy, likely_error, confidence, classes;
};

struct TimelineChunk {
  std::string chunk;
  std::optional<double> start, end;
  std::size_t n = 0;
  bool paired = false;
  Measured accuracy, afr_pred, pa;
  std::optional<ChunkError> likely_error;
  std::optional<double> error_bound;
  ChunkConfidence confidence;
  ChunkDrift drift;
  ChunkBands bands;
};

// A measure of chunks, for those who show or judge all of them.
struct TimelineMeasure {
  std::string_view key, title;  // "accuracy", "Accuracy"
  bool low_is_bad = false, high_is_bad = false;
  Measured (*value)(const TimelineChunk&);
  TimelineBand ChunkBands::*band;  // null where the source has no range of its own

  // Without ends where there is no range.
  [[nodiscard]] TimelineBand band_of(const TimelineChunk& chunk) const;
  // Outside the range, on a side that is bad.
  [[nodiscard]] bool is_bad(const TimelineChunk& chunk) const;
};
[[nodiscard]] const std::vector<TimelineMeasure>& timeline_measures();

struct AssessTimeline {
  std::string model, target;
  std::string by;         // "span", "rows", "files"
  bool calendar = false;  // start and end are seconds since 1970
  std::size_t gaps = 0;
  std::size_t tests = 0;  // of drift, over all chunks
  double level = .95;     // probability that nothing is raised at rest
  double delta = 0;       // the bounds hold at once with probability 1 - delta
  std::vector<TimelineChunk> chunks;
  std::map<std::string, std::string> not_computed;

  [[nodiscard]] bool has(const TimelineMeasure& measure) const;
  // The probability of an alarm at rest that each measure with a band has, and the tests of drift: equal shares of 1 - level.
  [[nodiscard]] double alarm_share() const;
};

// Chunks that are bad by a measure.
struct TimelineAlarms {
  std::size_t count = 0;
  const TimelineChunk *first = nullptr, *worst = nullptr;  // worst: farthest outside
};
[[nodiscard]] TimelineAlarms alarms_of(const AssessTimeline& timeline, const TimelineMeasure& measure);
// The same for drift: adjusted p-values of at most the alarm share; worst: the least.
[[nodiscard]] TimelineAlarms drift_alarms(const AssessTimeline& timeline);

// "prod over 12 chunks: accuracy is below the source's range in 3, first in 2026-03-07 (61%), lowest in ..."
[[nodiscard]] std::string timeline_words(const AssessTimeline& timeline, bool name_model);

void fields(TimelineChunk& chunk, Fields& f);
void fields(AssessTimeline& timeline, Fields& f);

}  // namespace leeway::tasks
