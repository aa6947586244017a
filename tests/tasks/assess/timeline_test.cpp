// Targets over time: chunks against results of their own, gates that name the first chunk, order of rows, false alarms.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/core/rows.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/assess/gates.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::timeline_test {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double start = 1767571200, day = 86400;  // 2026-01-05, a Monday

// n rows of four classes; `noise`: the share of rows whose logits say nothing.
Outputs drawn(std::size_t n, std::uint64_t seed, double noise = 0) {
  Random random(seed, stream("over time"));
  std::vector<double> logits;
  std::vector<std::int64_t> labels;
  std::vector<std::int32_t> places;
  for (std::size_t i = 0; i < n; ++i) {
    const auto label = static_cast<std::int64_t>(random.below(4));
    const bool lost = random.uniform() < noise;
    for (std::int64_t j = 0; j < 4; ++j)
      logits.push_back((j == label && !lost ? 2.2 : 0) + (lost ? .3 : 1) * random.normal());
    labels.push_back(label);
    places.push_back(static_cast<std::int32_t>(random.below(2)));
  }
  Outputs outputs;
  outputs.path = "drawn.npz";
  outputs.logits = make_array<double>({n, 4}, std::move(logits));
  outputs.groups.push_back({"place", {"a", "b"}, std::move(places)});
  return labelled(std::move(outputs), labels);
}

Outputs joined_rows(const std::vector<Outputs>& parts) {
  Outputs all = parts.front();
  std::vector<Array> logits{parts.front().logits};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    logits.push_back(parts[i].logits);
    all.labels->insert(all.labels->end(), parts[i].labels->begin(), parts[i].labels->end());
    all.groups[0].codes.insert(all.groups[0].codes.end(), parts[i].groups[0].codes.begin(),
                               parts[i].groups[0].codes.end());
  }
  all.logits = Rows(std::move(logits)).joined();
  return all;
}

// `days` days of `rows` rows each; from day `moved` on with noise.
Outputs production(std::size_t days, std::size_t rows, std::size_t moved, std::uint64_t seed) {
  std::vector<Outputs> parts;
  std::vector<double> times;
  Random random(seed, stream("times"));
  for (std::size_t j = 0; j < days; ++j) {
    parts.push_back(drawn(rows, seed * 1000 + j, j >= moved ? .5 : 0));
    for (std::size_t i = 0; i < rows; ++i)
      times.push_back(start + day * static_cast<double>(j) + std::floor(day * random.uniform()));
  }
  Outputs all = joined_rows(parts);
  all.times = Times{std::move(times), TimeForm::local};
  return all;
}

tasks::Assess over_time(const Outputs& source, const Outputs& target, const char* chunk, Options task = {}) {
  task.options.chunk = chunk;
  task.options.restarts = 1;
  task.sources = {{"m", source}}, task.targets = {{"m", "prod", target, {}}};
  return tasks::assess(task);
}

// Features of day `moved` and later ones lie elsewhere.
Outputs with_features(Outputs outputs, std::size_t moved, std::size_t rows) {
  Random random(outputs.n(), stream("features"));
  std::vector<double> values(3 * outputs.n());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = random.normal() + (i / 3 >= moved * rows ? 1 : 0);
  outputs.features = make_array<double>({outputs.n(), 3}, std::move(values));
  return outputs;
}

TEST(Timeline, TestsFeaturesOfChunks) {
  const Outputs source = with_features(drawn(400, 1), 1, 400);
  Options task;
  task.gates = {"drift.features.p_value<0.001"};
  const tasks::Assess record =
      over_time(source, with_features(production(5, 80, 5, 2), 3, 80), "1d", std::move(task));
  const tasks::AssessTimeline& timeline = record.timelines[0];
  EXPECT_EQ(timeline.tests, 20u);  // classes, confidence, place and features, five days each
  for (std::size_t j = 0; j < 5; ++j) {
    const tasks::ChunkDrift& drift = timeline.chunks[j].drift;
    EXPECT_EQ(drift.features->p_value < .001, j >= 3) << j;
    EXPECT_LE(drift.p_value, drift.features->p_value);
  }
  EXPECT_EQ(record.gates[0].chunks[0].violated, 2u);
}

TEST(Timeline, SaysOfAChunkWhatAResultSaysOfItsRows) {
  const Outputs source = drawn(400, 1), target = production(6, 80, 4, 2);
  const tasks::Assess record = over_time(source, target, "1d");
  ASSERT_THAT(record.timelines, SizeIs(1));
  const tasks::AssessTimeline& timeline = record.timelines[0];
  ASSERT_THAT(timeline.chunks, SizeIs(6));
  for (std::size_t j = 0; j < 6; ++j) {
    const tasks::TimelineChunk& chunk = timeline.chunks[j];
    const Outputs alone = drawn(80, 2000 + j, j >= 4 ? .5 : 0);
    Options task;
    task.sources = {{"m", source}}, task.targets = {{"m", "alone", alone, {}}};
    const tasks::Assess own = tasks::assess(task);
    const tasks::AssessResult& result = own.results[0];
    EXPECT_EQ(chunk.start, start + day * static_cast<double>(j));
    EXPECT_EQ(chunk.n, 80u);
    EXPECT_EQ(chunk.accuracy.value, result.accuracy.value);
    EXPECT_EQ(chunk.accuracy.low, result.accuracy.low);
    EXPECT_NEAR(chunk.confidence.shifted_mean, result.confidence.shifted_mean, 1e-12);
    EXPECT_NEAR(chunk.drift.confidence.p_alone, result.drift->confidence.p_alone, 1e-12);
    EXPECT_NEAR(chunk.drift.classes.p_alone, result.drift->classes.p_alone, 1e-9);
    EXPECT_NEAR(*chunk.drift.classes.distance, *result.drift->classes.distance.value, 1e-12);
    EXPECT_NEAR(*chunk.likely_error->error.value, *result.likely_error->error.value, 1e-9);
    EXPECT_NEAR(chunk.likely_error->high, result.likely_error->high, 1e-9);
    EXPECT_GT(*chunk.error_bound, 0);
    EXPECT_EQ(chunk.bands.accuracy.below, j >= 4) << j;
    EXPECT_EQ(chunk.drift.p_value < .01, j >= 4) << j;
  }
  EXPECT_EQ(timeline.tests, 18u);
  EXPECT_THAT(record.envelope.headline,
              HasSubstr("prod over time: accuracy is below the source's range in 2 of 6 "
                        "chunks, first in 2026-01-09 ("));
}

// On the second day ages are the highest of their quarter: bins see nothing, the numbers do.
TEST(Timeline, TestsColumnsOfNumbersByKolmogorovSmirnov) {
  Outputs source = drawn(400, 1), target = production(2, 200, 2, 2);
  GroupColumn age{"age", {}, {}};
  for (std::size_t i = 0; i < 400; ++i) {
    age.levels.push_back(fmt::format("{}.5", i));
    age.codes.push_back(static_cast<std::int32_t>(i));
  }
  source.groups = {age};
  for (std::size_t i = 0; i < 200; ++i) {
    age.codes[i] = static_cast<std::int32_t>(2 * i);
    age.codes[200 + i] = static_cast<std::int32_t>(100 * (i / 50) + 99);
  }
  target.groups = {age};
  const auto chunks = over_time(source, target, "1d").timelines[0].chunks;
  EXPECT_GT(chunks[0].drift.worst_group->p_alone, .99);
  EXPECT_NEAR(*chunks[1].drift.worst_group->distance, .2475, 1e-12);  // below 99.5: 99 of 400, and none
  EXPECT_LT(chunks[1].drift.worst_group->p_alone, 1e-6);
}

TEST(Timeline, GatesNameTheFirstChunkThatFails) {
  Options task;
  task.gates = {"accuracy<0.6",        "accuracy<0.1",
                "error_bound>=0",      "worst_class.accuracy<0.1",
                "drift.p_value<0.001", "confidence.shifted_mean<0.7"};
  const tasks::Assess record = over_time(drawn(400, 1), production(6, 80, 4, 2), "1d", task);
  const tasks::AssessGate& first = record.gates[0];
  EXPECT_TRUE(first.violated());
  EXPECT_TRUE(first.violations.empty());  // the whole is good enough
  ASSERT_THAT(first.chunks, SizeIs(1));
  EXPECT_EQ(first.chunks[0].first, "2026-01-09");
  EXPECT_EQ(first.chunks[0].start, start + 4 * day);
  EXPECT_EQ(first.chunks[0].value, *record.timelines[0].chunks[4].accuracy.value);
  EXPECT_EQ(first.chunks[0].violated, 2u);
  EXPECT_EQ(first.chunks[0].judged, 6u);
  EXPECT_THAT(tasks::gate_words(first, 1),
              ::testing::AllOf(::testing::StartsWith("failed over time: accuracy 0."),
                               HasSubstr(" < 0.6 (first in chunk 2026-01-09 of m under prod, in 2 of ")));
  EXPECT_THAT(tasks::gate_words(record.gates[2], 1), HasSubstr(" (first in chunk 2026-01-05"));
  EXPECT_FALSE(record.gates[1].violated());
  EXPECT_FALSE(record.gates[3].violated());  // of the whole alone
  EXPECT_EQ(record.gates[4].chunks[0].first, "2026-01-09");
  const Json json = to_json(record);
  EXPECT_EQ(json["gates"][0]["over_time"]["timelines"][0]["first"], "2026-01-09");
  EXPECT_TRUE(json["gates"][1]["over_time"].is_null());
  EXPECT_EQ(json["over_time"]["timelines"][0]["by"], "span");
  EXPECT_EQ(to_json(record_from<tasks::Assess>(json, "r.json")), json);
  for (const Json& time : {Json("nan"), Json("inf"), Json(-1.7e308)}) {
    Json damaged = json;
    damaged["over_time"]["timelines"][0]["chunks"][1]["start"] = time;
    EXPECT_REFUSED(record_from<tasks::Assess>(damaged, "r.json"), "chunks[1].start...");
  }
}

TEST(Timeline, HasTheSameBitsForAnyThreads) {
  const Outputs source = drawn(100, 1), target = production(4, 30, 3, 3);
  const auto chunks = [&] { return to_json(over_time(source, target, "50"))["over_time"].dump(); };
  EXPECT_EQ(at_threads(1, chunks), at_threads(3, chunks));
}

TEST(Timeline, HasAgreementWhereRowsArePairs) {
  const Outputs target = production(4, 50, 2, 4);
  Outputs source = target;
  source.times.reset();
  std::vector<double> logits = to_f64(source.logits, "");
  Random random(6, stream("pairs"));
  for (double& value : logits) value += .5 * random.normal();
  source.logits = make_array<double>({200, 4}, std::move(logits));
  const tasks::Assess record = over_time(source, target, "1d");
  std::size_t same = 0, rows = 0;
  for (const tasks::TimelineChunk& chunk : record.timelines[0].chunks) {
    EXPECT_TRUE(chunk.paired);
    EXPECT_TRUE(chunk.pa.value && chunk.pa.low);
    same += static_cast<std::size_t>(std::llround(*chunk.afr_pred.value * 50)), rows += 50;
  }
  EXPECT_EQ(*record.results[0].afr_pred.value, static_cast<double>(same) / static_cast<double>(rows));
}

TEST(Timeline, OfFilesHasAChunkForEach) {
  const Outputs source = drawn(200, 1);
  Outputs same = source;  // a file that is paired with the source
  const Outputs target = joined_rows({drawn(90, 7), same, drawn(30, 8, .9)});
  Options task;
  task.sources = {{"m", source}};
  task.targets = {{"m", "week", target, {{"week1", 90}, {"week2", 200}, {"week10", 30}}}};
  const tasks::Assess record = tasks::assess(task);
  const auto& chunks = record.timelines.at(0).chunks;
  ASSERT_THAT(chunks, SizeIs(3));
  EXPECT_EQ(chunks[2].chunk, "week10");
  EXPECT_FALSE(chunks[0].paired);
  EXPECT_TRUE(chunks[1].paired);
  EXPECT_EQ(chunks[1].afr_pred.value, 1);
  EXPECT_FALSE(chunks[0].start);
  EXPECT_TRUE(chunks[2].bands.accuracy.below);
}

TEST(Timeline, OfUnlabelledRowsHasTheEstimates) {
  Outputs target = production(6, 80, 4, 2);
  target.labels.reset();
  const tasks::Assess record = over_time(drawn(400, 1), target, "1d");
  const tasks::AssessTimeline& timeline = record.timelines[0];
  EXPECT_FALSE(timeline.chunks[0].accuracy.value);
  EXPECT_EQ(timeline.not_computed.at("accuracy"), "the target has no labels");
  EXPECT_FALSE(timeline.chunks[3].bands.likely_error.outside());
  EXPECT_TRUE(timeline.chunks[4].bands.likely_error.above);
  EXPECT_THAT(record.envelope.headline,
              HasSubstr("the estimated error is above the source's range in 2 of 6 chunks"));
}

TEST(Timeline, NeedsTimesAndAChunkSize) {
  EXPECT_REFUSED(over_time(drawn(20, 1), drawn(20, 2), "1d"), "times of its rows...");
  EXPECT_THROW((void)over_time(drawn(20, 1), production(2, 5, 2, 1), "soon"), OptionError);
  tasks::AssessOptions options;
  options.time_column = "when";
  EXPECT_THROW((void)tasks::target_reading(options), OptionError);
}

TEST(Timeline, OfMoreThanAHundredChunksHasNoBounds) {
  const tasks::Assess record = over_time(drawn(100, 1), production(101, 3, 101, 1), "1d");
  const tasks::AssessTimeline& timeline = record.timelines[0];
  ASSERT_THAT(timeline.chunks, SizeIs(101));
  EXPECT_THAT(timeline.not_computed.at("error_bound"), HasSubstr("at most 100"));
  EXPECT_FALSE(timeline.chunks[0].error_bound);
  EXPECT_TRUE(record.results[0].error_bound);
}

// 100 targets at rest of 12 chunks each: whether anything is raised in any chunk. docs/guides/time.md gives the rate of more.
TEST(TimelineTier2, AtRestRaisesFewAlarms) {
  constexpr std::size_t sets = 100;
  std::size_t raised = 0;
  for (std::size_t s = 0; s < sets; ++s) {
    Options task;
    const Outputs source = drawn(400, 50'000 + s);
    Outputs target = drawn(600, 90'000 + s);
    target.times = Times{{}, TimeForm::number};
    for (std::size_t i = 0; i < 600; ++i) target.times->values.push_back(static_cast<double>(i));
    task.options.paired = "no";
    const tasks::Assess record = over_time(source, target, "50", task);
    const tasks::AssessTimeline& timeline = record.timelines[0];
    EXPECT_NEAR(timeline.alarm_share(), .05 / 5, 1e-12);
    raised += std::ranges::any_of(timeline.chunks, [&](const tasks::TimelineChunk& chunk) {
      const tasks::ChunkBands& bands = chunk.bands;
      return bands.accuracy.outside() || bands.likely_error.outside() || bands.confidence.outside() ||
             bands.classes.outside() || chunk.drift.p_value <= timeline.alarm_share();
    });
  }
  EXPECT_LE(raised, 5 + 3 * 2.2);
}

}  // namespace leeway::assess::timeline_test
