// Chunks of time: against a loop over all rows, in any order of rows, and what is refused.
#include "leeway/tasks/assess/chunks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/core/error.h"
#include "leeway/core/random.h"
#include "tests/message_of.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::chunks_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Row i has logits that no other row has, and the id i.
Outputs timed(std::vector<double> times, TimeForm form = TimeForm::local) {
  Outputs outputs = outputs_of(std::vector<int>(times.size(), 0), 2);
  std::vector<double> logits = to_f64(outputs.logits, "");
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] += 1e-6 * static_cast<double>(i);
  outputs.logits = make_array<double>({times.size(), 2}, std::move(logits));
  outputs.times = Times{std::move(times), form};
  return outputs;
}

Outputs reordered(const Outputs& all, const std::vector<std::size_t>& order) {
  Outputs outputs = all;
  outputs.logits = Rows(all.logits).take(order);
  for (std::size_t i = 0; i < order.size(); ++i) outputs.times->values[i] = all.times->values[order[i]];
  return outputs;
}

std::vector<std::string> names_of(const Chunks& chunks) {
  std::vector<std::string> names;
  for (const Chunk& chunk : chunks.list) names.push_back(chunk.name);
  return names;
}

std::vector<std::size_t> sizes_of(const Chunks& chunks) {
  std::vector<std::size_t> sizes;
  for (const Chunk& chunk : chunks.list) sizes.push_back(chunk.rows.size());
  return sizes;
}

Chunks cut(const Outputs& outputs, std::string_view size) {
  return cut_by_time(outputs, nullptr, parse_chunk_size(size));
}

TEST(ChunkSize, IsASpanOrACount) {
  EXPECT_EQ(parse_chunk_size("1000").rows, 1000u);
  EXPECT_EQ(parse_chunk_size("1d").seconds, 86400);
  EXPECT_EQ(parse_chunk_size("12h").seconds, 43200);
  EXPECT_EQ(parse_chunk_size("2w").seconds, 1209600);
  EXPECT_EQ(parse_chunk_size("30min").seconds, 1800);
  EXPECT_EQ(parse_chunk_size("90s").seconds, 90);
  for (const char* text :
       {"", "0", "0d", "-1d", "d", "1.5d", "1 d", "1D", "1mo", "1y", "99999999999999999999", "99999999999d"})
    EXPECT_THROW((void)parse_chunk_size(text), OptionError) << text;
  EXPECT_REFUSED(parse_chunk_size("5m"), "'5m' (write min for minutes)...");
}

TEST(Chunks, OfSpansAreThoseOfALoopOverAllRows) {
  Random random(1, stream("spans"));
  for (const double span : {3600., 43200., 86400., 604800., 7200. * 7}) {
    std::vector<double> times;
    for (std::size_t i = 0; i < 400; ++i)
      times.push_back(std::floor(1767225600 + 86400 * 30 * random.uniform() * random.uniform()));
    const Outputs outputs = timed(times);
    const Chunks chunks = cut_by_time(outputs, nullptr, {span, 0});
    std::map<double, std::vector<std::size_t>> expected;  // start -> rows
    const double first = span == 604800 ? 345600 : 0;     // the first Monday after 1970-01-01
    const double origin = first + span * std::floor((1767225600 - first) / span);
    for (std::size_t i = 0; i < times.size(); ++i) {
      double start = origin;
      while (start + span <= times[i]) start += span;
      expected[start].push_back(i);
    }
    ASSERT_EQ(chunks.list.size(), expected.size());
    std::size_t at = 0;
    for (const auto& [start, rows] : expected) {
      const Chunk& chunk = chunks.list[at++];
      EXPECT_EQ(chunk.start, start);
      EXPECT_EQ(chunk.end, start + span);
      EXPECT_EQ(chunk.name,
                span >= 86400 && std::fmod(span, 86400) == 0 ? day_text(start) : minute_text(start));
      std::vector<std::size_t> found = chunk.rows;
      std::ranges::sort(found);
      EXPECT_EQ(found, rows);
    }
    const double spans = (expected.rbegin()->first - expected.begin()->first) / span + 1;
    EXPECT_EQ(static_cast<double>(chunks.gaps + chunks.list.size()), spans);
  }
}

TEST(Chunks, OfRowsTakeTheRestWhereItIsSmall) {
  const auto sizes = [](std::size_t n, const char* size) {
    std::vector<double> times(n);
    for (std::size_t i = 0; i < n; ++i) times[i] = static_cast<double>(i);
    return sizes_of(cut(timed(times, TimeForm::number), size));
  };
  EXPECT_THAT(sizes(30, "10"), ElementsAre(10, 10, 10));
  EXPECT_THAT(sizes(34, "10"), ElementsAre(10, 10, 14));
  EXPECT_THAT(sizes(35, "10"), ElementsAre(10, 10, 10, 5));
  EXPECT_THAT(sizes(3, "10"), ElementsAre(3));
  EXPECT_THAT(sizes(1, "1"), ElementsAre(1));
}

TEST(Chunks, AreNamedByTheirStartOrByNumber) {
  const double start = parse_time("2026-03-01T12:00")->seconds;
  EXPECT_THAT(names_of(cut(timed({start, start, start, start + 61}), "2")),
              ElementsAre("2026-03-01T12:00", "2026-03-01T12:00 (2)"));
  EXPECT_THAT(names_of(cut(timed({.5, 7, 9, 8}, TimeForm::number), "2")), ElementsAre("1", "2"));
}

TEST(Chunks, OfSpansDoNotDependOnTheOrderOfRows) {
  std::vector<double> times;
  for (std::size_t i = 0; i < 300; ++i) times.push_back(86400 * static_cast<double>(i / 100));
  const Outputs outputs = timed(times, TimeForm::date);
  for (const char* size : {"1d", "2d"}) {
    const Chunks before = cut(outputs, size);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed, stream("order"));
      const std::vector<std::size_t> order = permutation(300, random);
      const Chunks after = cut(reordered(outputs, order), size);
      ASSERT_EQ(names_of(after), names_of(before));
      for (std::size_t j = 0; j < before.list.size(); ++j) {
        std::vector<std::size_t> rows;
        for (const std::size_t row : after.list[j].rows) rows.push_back(order[row]);
        EXPECT_EQ(rows, before.list[j].rows) << size;  // in the same order, too
      }
    }
  }
}

// Whatever rows hold: sorted by their outputs, chunks of a target at rest would differ.
TEST(Chunks, OfRowsKeepTheOrderOfTheFileAmongEqualTimes) {
  std::vector<double> times;
  for (std::size_t i = 0; i < 6; ++i) times.push_back(i == 5 ? 0 : 86400);
  Outputs outputs = timed(times, TimeForm::date);
  outputs.logits = Rows(outputs.logits).take(std::vector<std::size_t>{1, 0, 1, 0, 1, 0});
  const Chunks chunks = cut(outputs, "2");
  ASSERT_THAT(chunks.list, SizeIs(3));
  EXPECT_THAT(chunks.list[0].rows, ElementsAre(5, 0));
  EXPECT_THAT(chunks.list[1].rows, ElementsAre(1, 2));
  EXPECT_THAT(chunks.list[2].rows, ElementsAre(3, 4));
}

TEST(Chunks, OfYears) {
  const Chunks chunks = cut(timed({2018, 2016, 2017, 2016}, TimeForm::number), "52w");
  EXPECT_THAT(sizes_of(chunks), ElementsAre(2, 1, 1));
  EXPECT_EQ(names_of(cut(timed({2016}, TimeForm::number), "1d")).at(0), "2016-01-01");
  EXPECT_THAT(names_of(cut(timed({202601, 202512, 202601}, TimeForm::number), "1d")),
              ElementsAre("2025-12-01", "2026-01-01"));
}

TEST(Chunks, AreRefusedWhereNoCalendarHasTheTimes) {
  const auto refused = [](std::vector<double> times, const char* size, TimeForm form = TimeForm::number) {
    return message_of([&] { (void)cut(timed(times, form), size); });
  };
  EXPECT_THAT(refused({1767225600000.}, "1d"),
              HasSubstr("found 1767225600000 at row 0 (milliseconds or finer?)"));
  EXPECT_THAT(refused({20260301, 20260302}, "1d"),
              HasSubstr("found 20260301 at row 0, a date without dashes"));
  for (const std::vector<double>& times : std::vector<std::vector<double>>{
           {12, 1}, {2016.5, 2017}, {202613, 202601}, {2461042, 2461043}, {739983, 739984}})
    EXPECT_THAT(refused(times, "30d"), AllOf(HasSubstr("years (2026), months (202603) or seconds since 1970"),
                                             HasSubstr(fmt::format("found {} at row 0", times[0]))));
  EXPECT_THAT(refused({-1e300}, "1d"), HasSubstr("expected times in seconds since 1970"));
  std::vector<double> hours;
  for (std::size_t i = 0; i < 2001; ++i) hours.push_back(1767225600 + 3600. * static_cast<double>(i));
  EXPECT_THAT(refused(hours, "1h"), HasSubstr("at most 2000 chunks"));
  EXPECT_THAT(refused(hours, "1"), HasSubstr("found 2001 (use --chunk 2)"));
  EXPECT_THAT(cut(timed(hours, TimeForm::number), "1d").list, SizeIs(84));
}

TEST(Chunks, OfTheEndsOfTheCalendarAreNamed) {
  const Chunks chunks =
      cut(timed({parse_time("0001-01-01")->seconds, parse_time("9999-12-31T23:59:59")->seconds}), "1d");
  EXPECT_THAT(names_of(chunks), ElementsAre("0001-01-01", "9999-12-31"));
  EXPECT_EQ(chunks.gaps, 3652057u);
}

}  // namespace leeway::assess::chunks_test
