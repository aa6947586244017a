#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/numbers.h"
#include "leeway/core/text.h"

namespace leeway::app {
namespace {

using record::TimelineAlarms;
using record::TimelineChunk;
using record::TimelineMeasure;

constexpr std::size_t most_rows = 12;  // of chunks, in a table

std::string number(const TimelineMeasure& measure, double value) {
  return measure.key == "pa" ? fmt::format("{:.3f}", value) : fmt::format("{:.1f}", 100 * value);
}

// "0.8 to 3.1", or "- 3.1" of a range with one end.
std::string band_text(const TimelineMeasure& measure, const TimelineChunk& chunk) {
  if (measure.band == nullptr) return "-";
  const record::TimelineBand& band = chunk.bands.*measure.band;
  if (!band.low || !band.high) return "-";
  return fmt::format("{} to {}", number(measure, *band.low), number(measure, *band.high));
}

std::string summary_table(const record::AssessTimeline& timeline) {
  TextTable table({left("over time", 0, 12), right("least"), right("median"), right("most"),
                   right("source's range"), right("outside"), left("first", 0, 10), left("farthest", 0, 10)},
                  2);
  std::vector<std::size_t> sizes;
  for (const TimelineChunk& chunk : timeline.chunks) sizes.push_back(chunk.n);
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
  const std::size_t middle = sizes[sizes.size() / 2];
  const TimelineChunk& typical = *std::ranges::find(timeline.chunks, middle, &TimelineChunk::n);
  for (const TimelineMeasure& measure : record::timeline_measures()) {
    std::vector<double> values;
    for (const TimelineChunk& chunk : timeline.chunks)
      if (const auto value = measure.value(chunk).value) values.push_back(*value);
    if (values.empty()) continue;
    std::ranges::sort(values);
    const TimelineAlarms alarms = alarms_of(timeline, measure);
    table.add(measure.title, number(measure, values.front()), number(measure, values[values.size() / 2]),
              number(measure, values.back()), band_text(measure, typical),
              measure.band == nullptr ? "-" : std::to_string(alarms.count),
              alarms.first == nullptr ? "" : shown(alarms.first->chunk),
              alarms.worst == nullptr ? "" : shown(alarms.worst->chunk));
  }
  const TimelineAlarms drift = drift_alarms(timeline);
  table.add("Drift tests", "", "", "", "", drift.count,
            drift.first == nullptr ? "" : shown(drift.first->chunk),
            drift.worst == nullptr ? "" : shown(drift.worst->chunk));
  return table.text();
}

// Every chunk where they are few; else the first and the farthest outside of every measure, and the least p-values.
std::vector<const TimelineChunk*> shown_chunks(const record::AssessTimeline& timeline) {
  std::vector<const TimelineChunk*> chosen;
  const auto add = [&](const TimelineChunk* chunk) {
    if (chunk != nullptr && chosen.size() < most_rows && std::ranges::find(chosen, chunk) == chosen.end())
      chosen.push_back(chunk);
  };
  if (timeline.chunks.size() <= most_rows)
    for (const TimelineChunk& chunk : timeline.chunks) add(&chunk);
  for (const TimelineMeasure& measure : record::timeline_measures()) {
    const TimelineAlarms alarms = alarms_of(timeline, measure);
    add(alarms.first), add(alarms.worst);
  }
  const TimelineAlarms drift = drift_alarms(timeline);
  add(drift.first), add(drift.worst);
  std::ranges::sort(chosen);
  return chosen;
}

std::string chunk_table(const record::AssessTimeline& timeline) {
  std::vector<const TimelineMeasure*> measures;
  for (const TimelineMeasure& measure : record::timeline_measures())
    if (timeline.has(measure)) measures.push_back(&measure);
  std::vector<Column> columns{left("chunk", 0, 10), right("n")};
  for (const TimelineMeasure* measure : measures) columns.push_back(right(lower_case(measure->title)));
  columns.push_back(right("drift p"));
  TextTable table(std::move(columns), 2);
  for (const TimelineChunk* chunk : shown_chunks(timeline)) {
    std::vector<std::string> cells{shown(chunk->chunk), std::to_string(chunk->n)};
    for (const TimelineMeasure* measure : measures) {
      const auto value = measure->value(*chunk).value;
      const bool outside = measure->band != nullptr && (chunk->bands.*measure->band).outside();
      cells.push_back(value ? number(*measure, *value) + (outside ? "*" : "") : "-");
    }
    cells.push_back(record::p_words(chunk->drift.p_value));
    table.add(std::move(cells));
  }
  return table.empty() ? "" : table.text();
}

std::string opening(const record::AssessTimeline& timeline, bool several) {
  const std::string what = timeline.by == "files" ? "files" : "chunks";
  std::string text =
      fmt::format("{}{}: {} {} from {} to {}", timeline.target, several ? " (" + timeline.model + ")" : "",
                  timeline.chunks.size(), what, timeline.chunks.front().chunk, timeline.chunks.back().chunk);
  if (timeline.gaps > 0)
    text += fmt::format(", {} {} without rows", timeline.gaps, timeline.gaps == 1 ? "span" : "spans");
  return wrapped(shown(text));
}

}  // namespace

std::string timelines_text(const record::Assess& record) {
  if (record.timelines.empty()) return "";
  std::string text = "\nOver time, in %\n";
  bool all = true;
  for (const record::AssessTimeline& timeline : record.timelines) {
    text += opening(timeline, record.models.size() > 1) + summary_table(timeline) + chunk_table(timeline);
    all = all && timeline.chunks.size() <= most_rows;
  }
  return text + wrapped(fmt::format("source's range: range of source chunks of median size, for all chunks "
                                    "and measures together with probability {:g}%; *: outside the range of "
                                    "its size. Drift p: adjusted over all tests of all chunks.{}",
                                    100 * record.level,
                                    all ? "" : " The record and the page have the other chunks."));
}

}  // namespace leeway::app
