#include <fmt/format.h>

#include <algorithm>

#include "leeway/describe/fields.h"
#include "leeway/io/times.h"
#include "leeway/tasks/assess/timeline.h"

namespace leeway::tasks {
namespace {

// `off`: how far a chunk is from what is well; nothing of one that is well.
template <class Off>
TimelineAlarms alarms_by(const AssessTimeline& timeline, const Off& off) {
  TimelineAlarms alarms;
  double farthest = 0;
  for (const TimelineChunk& chunk : timeline.chunks) {
    const std::optional<double> distance = off(chunk);
    if (!distance) continue;
    if (alarms.count++ == 0) alarms.first = &chunk;
    if (alarms.worst == nullptr || *distance > farthest) alarms.worst = &chunk, farthest = *distance;
  }
  return alarms;
}

}  // namespace

static void fields(ChunkConfidence& confidence, Fields& f) {
  f("shifted_mean", confidence.shifted_mean, a_share, "mean confidence");
}

static void fields(TimelineBand& band, Fields& f) {
  f("low", band.low, "lower end of the band; null without a band");
  f("high", band.high, "upper end of the band");
  f("below", band.below, "whether the chunk lies below the band");
  f("above", band.above, "whether the chunk lies above the band");
}

static void fields(ChunkError& error, Fields& f) {
  measured(f, "error", error.error, a_share, "estimated error; the interval covers sampling error");
  f("low", error.low, a_share, "lower end of the likely range");
  f("high", error.high, a_share, "upper end of the likely range");
}

static void fields(ChunkTest& test, Fields& f) {
  f("name", test.name, "tested quantity: predicted class, confidence, or the group");
  f("p_alone", test.p_alone, a_share, "p-value of this test alone");
  f("p_value", test.p_value, a_share, "p-value adjusted by Holm's method over all tests of all chunks");
  f("distance", test.distance, a_share,
    "total variation distance between the shares; for confidence and numbers, Kolmogorov-Smirnov distance");
}

static void fields(ChunkDrift& drift, Fields& f) {
  f("p_value", drift.p_value, a_share,
    "smallest p-value of the chunk, adjusted over all chunks: without drift, any chunk has p <= alpha with "
    "probability at most alpha");
  f("classes", drift.classes, "test of the mix of predicted classes; rare classes are pooled");
  f("confidence", drift.confidence, "test of the confidence");
  f("worst_group", drift.worst_group, "group column with the smallest p-value; null without groups");
  f("features", drift.features, "test of the features, without a distance; null without features");
}

static void fields(ChunkBands& bands, Fields& f) {
  f("accuracy", bands.accuracy, "band of accuracy");
  f("likely_error", bands.likely_error, "band of likely_error.error");
  f("confidence", bands.confidence, "band of confidence.shifted_mean");
  f("classes", bands.classes, "band of drift.classes.distance");
}

void fields(TimelineChunk& chunk, Fields& f) {
  constexpr Range a_time = from_to(-largest_time, largest_time);
  f("chunk", chunk.chunk, "name of the chunk: its start, a number, or the file name");
  f("start", chunk.start, a_time, "start of the span, or time of the first row; null for files");
  f("end", chunk.end, a_time, "end of the span, or time of the last row");
  f("n", chunk.n, at_least(1), "number of samples");
  f("paired", chunk.paired, "whether rows are paired with source rows");
  measured(f, "accuracy", chunk.accuracy, a_share, "accuracy; null without labels");
  measured(f, "afr_pred", chunk.afr_pred, a_share, "share of unchanged predictions; null if not paired");
  measured(f, "pa", chunk.pa, at_least(0), "posterior agreement; null if not paired");
  f("likely_error", chunk.likely_error, "estimated error without labels; null without estimates");
  f("error_bound", chunk.error_bound, a_share,
    "upper bound on the error without labels, valid for all chunks simultaneously; null with more than 100 "
    "chunks");
  f("confidence", chunk.confidence, "mean confidence of the model");
  f("drift", chunk.drift, "tests for differences from the source");
  f("bands", chunk.bands,
    "ranges of source chunks of this size; without drift, all chunks stay inside with probability `level`");
}

void fields(AssessTimeline& timeline, Fields& f) {
  f("model", timeline.model, "name of the model");
  f("target", timeline.target, "name of the target");
  f.choice("by", timeline.by, {{"span", ""}, {"rows", ""}, {"files", ""}},
           "kind of chunks: time spans, numbers of rows in time order, or files");
  f("calendar", timeline.calendar, "whether start and end are seconds since 1970-01-01T00:00Z");
  f("gaps", timeline.gaps, "number of spans without rows between the first and the last chunk");
  f("tests", timeline.tests, "number of drift tests over all chunks");
  f("level", timeline.level, a_share,
    "probability that, without drift, no chunk leaves a band and no test raises an alarm");
  f("delta", timeline.delta, a_share, "failure probability of all bounds together, given their assumption");
  f("chunks", timeline.chunks, "chunks in time order");
  f.lengths({.filled = {"chunks"}});
  f("not_computed", timeline.not_computed, "why a key is null in all chunks");
}

const std::vector<TimelineMeasure>& timeline_measures() {
  static const std::vector<TimelineMeasure> measures{
      {"accuracy", "Accuracy", true, false, [](const TimelineChunk& c) { return c.accuracy; },
       &ChunkBands::accuracy},
      {"likely_error.error", "Estimated error", false, true,
       [](const TimelineChunk& c) {
         return c.likely_error
                    ? Measured{c.likely_error->error.value, c.likely_error->low, c.likely_error->high}
                    : Measured{};
       },
       &ChunkBands::likely_error},
      {"error_bound", "Error at most", false, true,
       [](const TimelineChunk& c) { return Measured{c.error_bound}; }, nullptr},
      {"afr_pred", "Prediction unchanged", true, false, [](const TimelineChunk& c) { return c.afr_pred; },
       nullptr},
      {"pa", "PA", true, false, [](const TimelineChunk& c) { return c.pa; }, nullptr},
      {"confidence.shifted_mean", "Confidence", true, true,
       [](const TimelineChunk& c) { return Measured{c.confidence.shifted_mean}; }, &ChunkBands::confidence},
      {"drift.classes.distance", "Mix of predicted classes", false, true,
       [](const TimelineChunk& c) { return Measured{c.drift.classes.distance}; }, &ChunkBands::classes}};
  return measures;
}

bool AssessTimeline::has(const TimelineMeasure& measure) const {
  return std::ranges::any_of(
      chunks, [&](const TimelineChunk& chunk) { return measure.value(chunk).value.has_value(); });
}

double AssessTimeline::alarm_share() const {
  std::size_t watched = 1;
  for (const TimelineMeasure& measure : timeline_measures())
    watched += measure.band != nullptr && has(measure) ? 1 : 0;
  return (1 - level) / static_cast<double>(watched);
}

TimelineBand TimelineMeasure::band_of(const TimelineChunk& chunk) const {
  return band == nullptr ? TimelineBand{} : chunk.bands.*band;
}

bool TimelineMeasure::is_bad(const TimelineChunk& chunk) const {
  const TimelineBand range = band_of(chunk);
  return (range.below && low_is_bad) || (range.above && high_is_bad);
}

TimelineAlarms alarms_of(const AssessTimeline& timeline, const TimelineMeasure& measure) {
  return alarms_by(timeline, [&](const TimelineChunk& chunk) -> std::optional<double> {
    const auto value = measure.value(chunk).value;
    if (!value || !measure.is_bad(chunk)) return std::nullopt;
    const TimelineBand band = measure.band_of(chunk);
    return band.below ? *band.low - *value : *value - *band.high;
  });
}

TimelineAlarms drift_alarms(const AssessTimeline& timeline) {
  return alarms_by(timeline, [level = timeline.alarm_share()](const TimelineChunk& chunk) {
    return chunk.drift.p_value > level ? std::nullopt : std::optional(-chunk.drift.p_value);
  });
}

std::string timeline_words(const AssessTimeline& timeline, bool name_model) {
  std::vector<std::string> parts;
  for (const TimelineMeasure& measure : timeline_measures()) {
    const TimelineAlarms alarms = alarms_of(timeline, measure);
    if (alarms.count == 0 || (measure.key != "accuracy" && measure.key != "likely_error.error")) continue;
    const auto said = [&](const TimelineChunk& chunk) {
      return fmt::format("{} ({})", chunk.chunk, percent(*measure.value(chunk).value));
    };
    parts.push_back(fmt::format("{} is {} the source's range in {} of {} chunks, first in {}{}",
                                measure.low_is_bad ? "accuracy" : "the estimated error",
                                measure.low_is_bad ? "below" : "above", alarms.count, timeline.chunks.size(),
                                said(*alarms.first),
                                alarms.worst == alarms.first ? "" : ", farthest in " + said(*alarms.worst)));
  }
  const TimelineAlarms drift = drift_alarms(timeline);
  if (drift.count > 0)
    parts.push_back(fmt::format("{} drifted, first {}",
                                drift.count == 1 ? "one chunk" : fmt::format("{} chunks", drift.count),
                                drift.first->chunk));
  if (parts.empty())
    parts.push_back(
        fmt::format("all {} chunks lie within the source's range, and none drifted", timeline.chunks.size()));
  const std::string model = name_model ? " (" + timeline.model + ")" : "";
  return fmt::format("{}{} over time: {}.", timeline.target, model, fmt::join(parts, "; "));
}

}  // namespace leeway::tasks
