// The section of a target over time: charts, the chunks to look at, and a page that stays small.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/report/report.h"

namespace leeway::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// `n` days from 2026-01-01, of which those from `bad` on are below the band; none from day 5 to 7.
record::Assess assessed(std::size_t n, std::size_t bad) {
  record::Assess record;
  record.models = {"cnn"}, record.targets = {"<prod>"}, record.class_names = {"cat", "dog"};
  record::AssessResult& result = record.results.emplace_back();
  result.model = "cnn", result.target = "<prod>", result.n = 100, result.source_n = 200, result.k = 2;
  record::AssessTimeline& timeline = record.timelines.emplace_back();
  timeline.model = "cnn", timeline.target = "<prod>", timeline.by = "span", timeline.calendar = true;
  timeline.gaps = 3;
  for (std::size_t i = 0; i < n; ++i) {
    record::TimelineChunk& chunk = timeline.chunks.emplace_back();
    const double place = static_cast<double>(i < 5 ? i : i + 3);
    chunk.chunk = fmt::format("<day {}>", i);
    chunk.start = 86400 * place, chunk.end = 86400 * (place + 1), chunk.n = 50;
    chunk.accuracy = {i < bad ? .8 : .5, .45, .85};
    chunk.bands.accuracy = {.7, .9, i >= bad, false};
    chunk.confidence = .9, chunk.drift.classes.distance = .01;
  }
  return record;
}

TEST(TimelineSection, HasAHeadingChartsAndChunks) {
  record::Assess record = assessed(12, 9);
  record.gates.push_back(
      {"accuracy<0.6", "accuracy", "<", .6, {}, {{"cnn", "<prod>", "<day 9>", {}, .5, 3, 12}}, {}});
  const std::string page = html_report(record);
  EXPECT_THAT(page, AllOf(HasSubstr("time: accuracy is below the source&#39;s range in 3 of 12"),
                          HasSubstr("data-spec=\"timeline\""), HasSubstr("3 of 12 chunks outside"),
                          HasSubstr("3 spans have no samples"), HasSubstr("Every chunk, in order of time"),
                          HasSubstr("first in &lt;day 9&gt; (0.5), in 3 of 12 chunks"),
                          HasSubstr("gate accuracy\\u003c0.6"), Not(HasSubstr("<day"))));
  record.timelines.clear();
  EXPECT_THAT(html_report(record), Not(HasSubstr("id=\"time\"")));
}

TEST(TimelineSection, SaysThatAllIsWell) {
  EXPECT_THAT(html_report(assessed(12, 12)), HasSubstr("all 12 chunks lie within the source&#39;s range"));
}

}  // namespace
}  // namespace leeway::report
