// The pages of leeway pa and leeway select.
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/describe/lines.h"
#include "tests/describe/pa_records.h"
#include "tests/describe/select_records.h"
#include "tests/report/pages.h"

namespace leeway::tasks::agreement_test {

using test::malformed;
using test::markup;
using test::occurrences;
using test::reference_record;
using ::testing::HasSubstr;

using tasks::test::bare_pa;
using tasks::test::bare_select;

std::string page_of(Pa record) {
  record.envelope.headline = headline_of(record);
  return test::page_of(to_json(record));
}
std::string page_of(Select record) {
  record.envelope.headline = headline_of(record);
  return test::page_of(to_json(record));
}
std::string page_of(const Json& record) { return test::page_of(record); }

TEST(PaPage, DrawsEverySectionOfTheReferenceRecord) {
  const std::string page = page_of(reference_record("pa_record.json"));
  for (const char* id : {"overview", "ratios", "groups", "posteriors", "agreement", "source"})
    EXPECT_EQ(occurrences(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_EQ(occurrences(page, "data-spec=\"lines\"><figcaption"), 3u);  // three shifted sets
  EXPECT_EQ(occurrences(page, "data-spec=\"parts\"><figcaption"), 6u);  // of two models
}

TEST(PaPage, WhatIsAbsentHasNoSection) {
  const std::string page = page_of(bare_pa());
  for (const char* id : {"ratios", "groups", "posteriors", "agreement"})
    EXPECT_EQ(occurrences(page, std::string("id=\"") + id + "\""), 0u) << id;
}

TEST(PaPage, GroupsWithoutAnApproximationAndWithInfiniteSumsAreDrawn) {
  Pa record = bare_pa();
  record.results[0].decomposition.emplace();
  auto& groups = record.results[0].decomposition->groups;
  groups[0].n = 900;
  groups[2].n = 100;
  groups[2].sum = -HUGE_VAL;
  const std::string html = html_report(record);
  EXPECT_EQ(malformed(html), std::nullopt);
  EXPECT_THAT(markup(html), HasSubstr("the 10%"));
  EXPECT_THAT(html, HasSubstr("approximation unavailable"));
  groups[2].sum = 0;
  EXPECT_THAT(page_of(record), HasSubstr("No group of samples reduces the agreement"));
}

TEST(SelectPage, DrawsWithLabelsAndWithoutThem) {
  const std::string labelled = page_of(reference_record("select_record.json")), bare = page_of(bare_select());
  EXPECT_EQ(occurrences(labelled, "data-spec=\"lines\"><figcaption"), 2u);
  EXPECT_EQ(occurrences(bare, "data-spec=\"lines\"><figcaption"), 1u);
}

Line line_of(const std::string& name, std::vector<double> values) {
  Line line{name, 0, {}};
  for (const double value : values)
    line.points.push_back({static_cast<double>(line.points.size()), {value, {}, {}}, "", ""});
  return line;
}

TEST(Lines, AxesEndAtRoundNumbersWithinTheirLimits) {
  const LineAxes some = fit_y({}, {line_of("a", {.52, .61}), line_of("b", {.78})}, 0, 1);
  EXPECT_DOUBLE_EQ(some.y_low, .5);  // a range of .26 has steps of .1
  EXPECT_DOUBLE_EQ(some.y_high, .8);
  const LineAxes top = fit_y({}, {line_of("a", {.995, .999})}, 0, 1);
  EXPECT_DOUBLE_EQ(top.y_high, 1);  // not beyond what can be
  const LineAxes flat = fit_y({}, {line_of("a", {1, 1})}, 0, 1);
  EXPECT_LT(flat.y_low, flat.y_high);
  EXPECT_DOUBLE_EQ(flat.y_high, 1);
}

TEST(Lines, NamesAtTheEndsDoNotTouch) {
  LineAxes axes;  // 0 to 1 over 170 pixels
  const Chart chart =
      line_chart("", "", {line_of("a", {.02}), line_of("b", {.03}), line_of("c", {.01})}, axes);
  std::vector<double> heights;
  for (const auto& [name, rows] : chart.data)
    if (name == "ends")
      for (const Json& row : rows) heights.push_back(row["label_y"]);
  ASSERT_EQ(heights.size(), 3u);  // b, a, c from above
  EXPECT_GE(heights[2], 0);
  EXPECT_GE(heights[1] - heights[2], 15. / 170 - 1e-4);
  EXPECT_GE(heights[0] - heights[1], 15. / 170 - 1e-4);
}

}  // namespace leeway::tasks::agreement_test
