// Targets over time: a chart for each measure with the source's range, and the chunks to look at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t charted_chunks = 4000;    // of all timelines: the page stays below some 3 MB
constexpr std::size_t timeline_most_rows = 40;  // of a table of chunks

// Places of chunks: spans by their distance in time, so that gaps show; others one behind the other.
std::vector<std::int64_t> places_of(const AssessTimeline& timeline) {
  std::vector<std::int64_t> places;
  const auto& chunks = timeline.chunks;
  const bool spans = timeline.by == "span" && chunks.front().start && chunks.front().end &&
                     *chunks.front().end > *chunks.front().start;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!spans || !chunks[i].start) {
      places.push_back(static_cast<std::int64_t>(i));
      continue;
    }
    const double span = *chunks.front().end - *chunks.front().start;
    const double place = std::round((*chunks[i].start - *chunks.front().start) / span);
    places.push_back(static_cast<std::int64_t>(std::clamp(place, -1e15, 1e15)));
  }
  return places;
}

// Which chunks bear a name on the axis: a few, evenly spread.
std::vector<std::size_t> ticks_of(const std::vector<std::int64_t>& places, std::size_t longest) {
  const std::size_t wanted = longest > 12 ? 3 : 4;
  std::vector<std::size_t> ticks;
  const double first = static_cast<double>(places.front()), last = static_cast<double>(places.back());
  for (std::size_t i = 0; i < wanted; ++i) {
    const double at = first + (last - first) * static_cast<double>(i) / static_cast<double>(wanted - 1);
    const auto found = std::ranges::lower_bound(
        places, at, {}, [](std::int64_t place) { return static_cast<double>(place); });
    const auto index = static_cast<std::size_t>(std::min(found, places.end() - 1) - places.begin());
    if (ticks.empty() || ticks.back() != index) ticks.push_back(index);
  }
  return ticks;
}

// Holds all values, intervals and bands.
LineAxes y_axis(const Assess& record, const AssessTimeline& timeline, const TimelineMeasure& measure) {
  Line values, bands;
  for (const TimelineChunk& chunk : timeline.chunks) {
    const Measured value = measure.value(chunk);
    const TimelineBand band = measure.band_of(chunk);
    values.points.push_back({0, value, "", ""});
    bands.points.push_back({0, {value.value, band.low, band.high}, "", ""});
  }
  const double most = measure.key == "pa" ? record.log_k() : 1;
  return fit_y({.y_low = 0, .y_high = most}, {values, bands}, 0, most);
}

Json thresholds_of(const Assess& record, const TimelineMeasure& measure, const LineAxes& axis) {
  Json rows = Json::array();
  for (const AssessGate& gate : record.gates)
    if (gate.key == measure.key && gate.threshold >= axis.y_low && gate.threshold <= axis.y_high)
      rows.push_back({{"y", brief(gate.threshold)}, {"text", "gate " + gate.gate}});
  return rows;
}

Chart chart_of(const Assess& record, const AssessTimeline& timeline, const TimelineMeasure& measure) {
  const std::vector<std::int64_t> places = places_of(timeline);
  const bool percent = measure.key != "pa";
  const LineAxes axis = y_axis(record, timeline, measure);
  const TimelineAlarms alarms = alarms_of(timeline, measure);
  Json rows = Json::array(), ticks = Json::array(), names = Json::array();
  Json first;
  std::size_t run = 0;
  for (std::size_t i = 0; i < timeline.chunks.size(); ++i) {
    const TimelineChunk& chunk = timeline.chunks[i];
    const Measured value = measure.value(chunk);
    const TimelineBand band = measure.band_of(chunk);
    if (i > 0 && places[i] != places[i - 1] + 1) ++run;
    if (&chunk == alarms.first) first = places[i];
    rows.push_back({{"chunk", chunk.chunk},
                    {"x", places[i]},
                    {"run", run},
                    {"n", chunk.n},
                    {"y", brief(value.value)},
                    {"low", brief(value.low)},
                    {"high", brief(value.high)},
                    {"from", brief(band.low)},
                    {"to", brief(band.high)},
                    {"outside", measure.is_bad(chunk)}});
  }
  const auto length = [](const TimelineChunk& one) { return one.chunk.size(); };
  const std::size_t longest = std::ranges::max(timeline.chunks, {}, length).chunk.size();
  for (const std::size_t i : ticks_of(places, longest)) {
    ticks.push_back(places[i]);
    names.push_back(timeline.chunks[i].chunk);
  }
  Chart chart{"timeline", std::string(measure.title),
              measure.band == nullptr
                  ? std::string()
                  : fmt::format("{} of {} chunks outside", alarms.count, timeline.chunks.size()),
              fmt::format("{} of {} over {} chunks", measure.title, timeline.target, timeline.chunks.size())};
  chart.data = {{"chunks", std::move(rows)}, {"thresholds", thresholds_of(record, measure, axis)}};
  chart.signals = {{"x_low", Json(static_cast<double>(places.front()) - .5)},
                   {"x_high", Json(static_cast<double>(places.back()) + .5)},
                   {"x_ticks", std::move(ticks)},
                   {"x_names", std::move(names)},
                   {"y_low", brief(axis.y_low)},
                   {"y_high", brief(axis.y_high)},
                   {"percent", percent},
                   {"first", std::move(first)},
                   {"first_text", alarms.first == nullptr ? "" : "first outside: " + alarms.first->chunk}};
  return chart;
}

Cell value_cell(const TimelineMeasure& measure, const TimelineChunk& chunk) {
  const Measured value = measure.value(chunk);
  if (measure.key == "pa") return pa_cell(value, "rows are not paired");
  Cell cell = share_cell(value, "not computed");
  if (!value.value) return cell;
  const TimelineBand band = measure.band_of(chunk);
  if (band.low && band.high)
    cell.title = fmt::format("source: {} to {}", percent(*band.low, 1), percent(*band.high, 1));
  if (band.below && measure.low_is_bad) cell.shade = *value.value - *band.low - .1;
  if (band.above && measure.high_is_bad) cell.shade = *band.high - *value.value - .1;
  if (measure.is_bad(chunk)) cell.mark = Mark::wrong;
  return cell;
}

Cell chunk_cell(const TimelineChunk* chunk) {
  return chunk == nullptr ? dash_cell("no chunk is outside") : text_cell(chunk->chunk);
}

// How far each measure goes, and where it leaves the source's range.
Blocks summary_table(const Assess& record, const AssessTimeline& timeline) {
  Table table("Minimum and maximum over time",
              {text_column("Measure"), number_column("Least"), number_column("Median"), number_column("Most"),
               number_column("Outside", "Number of chunks outside the range of the source"),
               text_column("First outside"), text_column("Farthest outside")});
  for (const TimelineMeasure& measure : timeline_measures()) {
    std::vector<double> values;
    for (const TimelineChunk& chunk : timeline.chunks)
      if (const auto value = measure.value(chunk).value) values.push_back(*value);
    if (values.empty()) continue;
    std::ranges::sort(values);
    const auto cell = [&](double value) {
      return measure.key == "pa" ? fixed_cell(value, 3) : percent_cell(value, 1);
    };
    const TimelineAlarms alarms = alarms_of(timeline, measure);
    table.add({text_cell(measure.title), cell(values.front()), cell(values[values.size() / 2]),
               cell(values.back()),
               measure.band == nullptr ? dash_cell("the source has no range") : count_cell(alarms.count),
               chunk_cell(alarms.first), chunk_cell(alarms.worst)});
  }
  const TimelineAlarms drift = drift_alarms(timeline);
  const Cell none = dash_cell("p-values are in the table of chunks");
  table.add({text_cell("Drift tests"), none, none, none, count_cell(drift.count), chunk_cell(drift.first),
             chunk_cell(drift.worst)});
  if (record.models.size() > 1 || record.timelines.size() > 1)
    table.caption += ": " + subject(record, timeline);
  return table.block();
}

// All chunks where they are few; else those outside a band or that drifted, in order of time.
Blocks chunk_table(const AssessTimeline& timeline) {
  const auto loud = [&, share = timeline.alarm_share()](const TimelineChunk& chunk) {
    return chunk.drift.p_value <= share ||
           std::ranges::any_of(timeline_measures(),
                               [&](const TimelineMeasure& measure) { return measure.is_bad(chunk); });
  };
  std::vector<const TimelineChunk*> rows;
  const bool few = timeline.chunks.size() <= timeline_most_rows;
  for (const TimelineChunk& chunk : timeline.chunks)
    if (few || loud(chunk)) rows.push_back(&chunk);
  std::string caption =
      few ? "Every chunk, in order of time" : "Chunks outside a range or with drift, in order of time";
  cut_rows(rows, timeline_most_rows, caption, ": the first {} of {}");
  if (rows.empty()) return {};
  std::vector<ColumnOf<TimelineChunk>> columns{{text_column("Chunk"), &TimelineChunk::chunk},
                                               {number_column("n", "Samples"), &TimelineChunk::n}};
  for (const TimelineMeasure& measure : timeline_measures())
    if (timeline.has(measure))
      columns.push_back({interval_column(std::string(measure.title)),
                         [&measure](const TimelineChunk& chunk) { return value_cell(measure, chunk); }});
  columns.push_back(
      {number_column("Drift p",
                     "Smallest p-value of the chunk, adjusted by Holm's method over all tests of all chunks"),
       [](const TimelineChunk& chunk) {
         return number_cell(chunk.drift.p_value, p_words(chunk.drift.p_value));
       }});
  return table_of(caption, columns, rows).block(1);
}

Blocks charts_of(const Assess& record, const AssessTimeline& timeline) {
  std::vector<Chart> charts;
  for (const TimelineMeasure& measure : timeline_measures())
    if (timeline.has(measure)) charts.push_back(chart_of(record, timeline, measure));
  return chart_grid(charts);
}

Blocks remarks(const AssessTimeline& timeline) {
  const std::string gaps = count(timeline.gaps) + (timeline.gaps == 1 ? " span has" : " spans have");
  const bool estimated = std::ranges::any_of(
      timeline.chunks, [](const TimelineChunk& chunk) { return chunk.likely_error.has_value(); });
  return paragraph(timeline.gaps > 0 ? gaps + " no samples (gaps)." : "") +
         paragraph(estimated ? "Small figures show the likely range of the estimated error." : "");
}

}  // namespace

Section timeline_section(const Assess& record) {
  if (record.timelines.empty()) return {};
  std::string words = timeline_words(record.timelines.front(), record.models.size() > 1);
  words.resize(std::min(words.find("; "), words.size() - 1));  // its first clause
  Section section{
      "time", "Over time", words,
      paragraph(fmt::format("Each point is a chunk, with its {0} interval. The gray band is the range of the "
                            "source: with probability {0}, all source chunks of the same size fall within "
                            "it. Chunks outside, on the worse side, are marked. Prediction unchanged and PA "
                            "have no range, because the source agrees with itself.",
                            percent(record.level)))};
  std::size_t drawn = 0;
  for (const AssessTimeline& timeline : record.timelines) {
    Blocks body = &timeline == &record.timelines.front()
                      ? Blocks()
                      : paragraph(timeline_words(timeline, record.models.size() > 1));
    if (drawn == 0 || drawn + timeline.chunks.size() <= charted_chunks) {
      drawn += timeline.chunks.size();
      body += remarks(timeline) + charts_of(record, timeline) +
              in_both(summary_table(record, timeline) + chunk_table(timeline)) +
              on_terminal(paragraph("*: outside the range of the source, on the worse side."));
    }
    if (record.timelines.size() > 1) body = subheading(subject(record, timeline)) + body;
    section.body += body;
  }
  return section;
}

}  // namespace leeway::tasks
