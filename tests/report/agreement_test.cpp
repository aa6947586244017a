// The pages of leeway pa and leeway select.
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/report/detail/lines.h"
#include "tests/record/pa_records.h"
#include "tests/record/select_records.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::complaint;
using test::malformed;
using test::markup;
using test::occurrences;
using test::reference_record;
using testing::HasSubstr;
using testing::Not;

using record::test::bare_pa;
using record::test::bare_select;
using record::test::set_of;

// PA at some share of shifted samples.
agreement::RatioPoint ratio_of(double ratio, double pa) {
  agreement::RatioPoint point{ratio, static_cast<std::size_t>(std::lround(1000 * ratio)), {}};
  point.agreement = record::test::agreement_of(pa);
  return point;
}

std::string page_of(record::Pa record) {
  record.envelope.headline = headline_of(record);
  return test::page_of(to_json(record));
}
std::string page_of(record::Select record) {
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

TEST(PaPage, IsTheSameOfATypedRecord) {
  const record::Pa record = record::test::full_pa();
  EXPECT_EQ(html_report(record), html_report(to_json(record)));
}

TEST(PaPage, HeadingsAreFindings) {
  record::Pa record = record::test::full_pa();
  std::string page = page_of(record);
  EXPECT_THAT(
      page,
      HasSubstr("noise: with 25% of samples shifted b agrees with itself as little as a does with 50%"));
  // 900 of 1100 nats, and 250 of 1000 samples
  EXPECT_THAT(page,
              HasSubstr("a under noise: the 25% of samples that are right and then change cost 82% of the "
                        "agreement lost"));
  EXPECT_THAT(page,
              HasSubstr("a under noise: where the prediction changes the model is 89% sure; it was 94% sure "
                        "where it was right"));
  EXPECT_THAT(page, HasSubstr("Between the clean set and noise, b keeps 0.80 of 2.30 posterior agreement"));
  record.ar_gap.clear();
  EXPECT_THAT(page_of(record), HasSubstr("b under noise: agreement falls from 2.30 to 0.80"));
}

TEST(PaPage, WhatIsAbsentHasNoSection) {
  const std::string page = page_of(bare_pa());
  for (const char* id : {"ratios", "groups", "posteriors", "agreement"})
    EXPECT_EQ(occurrences(page, std::string("id=\"") + id + "\""), 0u) << id;
}

TEST(PaPage, OneModelNeedsNoName) {
  record::Pa record = bare_pa();
  record.results[0].ratios = {ratio_of(0, 2.3), ratio_of(1, 1.2), ratio_of(.5, 1.9)};  // in any order
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("noise.npy: agreement falls from 2.30 to 1.20 as the share of shifted "
                              "samples grows from 0% to 100%"));
  EXPECT_THAT(page, Not(HasSubstr("Model</button>")));
  EXPECT_THAT(page, HasSubstr(">same prediction, AFR(P)</option>"));
  EXPECT_THAT(page, Not(HasSubstr(">right, AFR(T)</option>")));  // no labels
}

TEST(PaPage, ASharedBetaHasNoGap) {
  record::Pa record = bare_pa();
  record.results[0].agreement.fitted = false;
  record.results[0].agreement.gap = NAN;
  EXPECT_THAT(page_of(record), HasSubstr("β is that of the first shifted set"));
}

TEST(PaPage, AGapThatNoPairReachesIsADash) {
  record::Pa record = bare_pa();
  record.results[0].ratios = {ratio_of(0, 2.3), ratio_of(1, 1.2)};
  record.ar_gap = {{"noise.npy", "", "b", "a", {{1, .5, {}, {}}}}};
  EXPECT_THAT(page_of(record), HasSubstr("the two models have no agreement in common"));
}

TEST(PaPage, GroupsWithoutAnApproximationAndWithInfiniteSumsAreDrawn) {
  record::Pa record = bare_pa();
  record.results[0].decomposition.emplace();
  auto& groups = record.results[0].decomposition->groups;
  groups[0].n = 900;
  groups[2].n = 100;
  groups[2].sum = -HUGE_VAL;
  const std::string html = html_report(record);
  EXPECT_EQ(malformed(html), std::nullopt);
  EXPECT_THAT(markup(html), HasSubstr("the 10% of samples that are right and then change cost all of the "
                                      "agreement lost"));
  EXPECT_THAT(html, HasSubstr("approximation unavailable"));
  groups[2].sum = 0;
  EXPECT_THAT(page_of(record), HasSubstr("No group of samples costs any agreement"));
}

TEST(PaPage, FiveModelsMakeTwoCharts) {
  record::Pa record = bare_pa();
  record.results[0].ratios = {ratio_of(0, 2.3), ratio_of(1, 1.2)};
  record.results.resize(5, record.results[0]);
  for (int m = 0; m < 5; ++m) record.results[m].model = "m" + std::to_string(m);
  EXPECT_EQ(occurrences(page_of(record), "data-spec=\"lines\"><figcaption"), 2u);
}

TEST(PaPage, OfSeveralModelsNamesEachModelsOwnFiles) {
  record::Pa record = bare_pa();
  record.results.clear();
  const auto add = [&](const char* model, const char* file, const char* shift, double pa) {
    record.results.push_back(set_of(file, pa));
    record.results.back().model = model;
    record.results.back().shift = shift;
  };
  add("a", "a/blur.npz", "blur / noise", 1.2);
  add("a", "a/pgd.npz", "pgd", 1.3);
  add("b", "b/noise.npz", "blur / noise", .4);
  add("b", "b-pgd.npz", "pgd", 1.4);
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Between the clean set and b/noise.npz, b keeps 0.40 of 2.30"));
  EXPECT_THAT(page, HasSubstr("a/blur.npz</th>"));
  EXPECT_THAT(page, HasSubstr("b/noise.npz</th>"));
  EXPECT_EQ(occurrences(page, ">pgd</th>"), 2u);
}

TEST(PaPage, SaysThatRowsNeedNotBePairs) {
  record::Pa record = bare_pa();
  record.results[0].pairing =
      agreement::PairEvidence{agreement::EvidenceBy::none, 1, "their predictions disagree"};
  EXPECT_THAT(page_of(record),
              HasSubstr("Nothing shows that rows of noise.npy are those of the clean set: their "
                        "predictions disagree."));
  record.results[0].pairing->by = agreement::EvidenceBy::labels;
  EXPECT_THAT(page_of(record), Not(HasSubstr("Nothing shows")));
}

TEST(PaPage, NamesTheValueThatDoesNotFit) {
  const auto with = [](const char* pointer, const Json& value) {
    Json json = to_json(record::test::full_pa());
    json[Json::json_pointer(pointer)] = value;
    return complaint(json);
  };
  EXPECT_EQ(with("/results/0/ratios/0/ratio", nullptr),
            "r.json: expected a number from 0 to 1 at results[0].ratios[0].ratio, found null");
  EXPECT_EQ(with("/results/0/ratios/0/ratio", 2),
            "r.json: expected a number from 0 to 1 at results[0].ratios[0].ratio, found 2");
  EXPECT_EQ(with("/results/0/decomposition/adv/n", -1),
            "r.json: expected a whole number from 0 at results[0].decomposition.adv.n, found -1");
  EXPECT_EQ(
      with("/schema", "leeway.pa/1"),
      "r.json: expected a record of schema leeway.pa/2, found 'leeway.pa/1', written by an earlier version: "
      "run the command again");
}

// Files of two models never have one path; what they have in common is the shift.
TEST(PaPage, ModelsMeetUnderAShiftWhateverTheirFiles) {
  record::Pa together = record::test::full_pa(), apart = together;
  for (record::PaSet& set : together.results) set.shifted = set.shift;
  EXPECT_EQ(page_of(apart), page_of(together));
}

TEST(SelectPage, DrawsTheReferenceRecord) {
  const Json record = reference_record("select_record.json");
  const std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "data-spec=\"lines\"><figcaption"), 2u);
  EXPECT_THAT(page, HasSubstr(record["selected"]["pa"]["checkpoint"].get<std::string>() +
                              ", accuracy chooses epochs/"));
}

TEST(SelectPage, IsTheSameOfATypedRecord) {
  const record::Select record = record::test::full_select();
  EXPECT_EQ(html_report(record), html_report(to_json(record)));
}

TEST(SelectPage, SaysWhatEachCriterionChooses) {
  const std::string page = page_of(record::test::full_select());
  EXPECT_THAT(page, HasSubstr("Posterior agreement chooses run/e1.npz, accuracy chooses run/e2.npz.</h1>"));
  EXPECT_THAT(page, HasSubstr("Under the shift the first is right on 55% of samples, the second on 50%. The "
                              "posterior agreement of run/e1.npz is higher than that of run/e2.npz by 0.20 "
                              "(0.15 to 0.25): the choice matters. Nothing shows that the two sets of "
                              "run/e0.npz have the same rows: predictions disagree."));
  EXPECT_EQ(occurrences(page, "data-spec=\"lines\"><figcaption"), 2u);
  EXPECT_THAT(page, HasSubstr("<td>accuracy under the shift</td>"));
}

TEST(SelectPage, NeedsNoLabels) {
  const std::string page = page_of(bare_select());
  EXPECT_THAT(page, HasSubstr("run/e1.npz has the highest posterior agreement, 0.900"));
  EXPECT_THAT(page, HasSubstr("no labels were given"));
  EXPECT_EQ(occurrences(page, "data-spec=\"lines\"><figcaption"), 1u);
}

TEST(SelectPage, TheSameCheckpointIsSaidOnce) {
  record::Select record = record::test::full_select();
  record.selected.accuracy = record.selected.pa;
  record.selected.pa_difference.reset();
  EXPECT_THAT(page_of(record),
              HasSubstr("Posterior agreement and accuracy choose the same checkpoint, run/e1.npz."));
  EXPECT_THAT(page_of(record), HasSubstr("<td>PA and accuracy</td>"));
}

TEST(SelectPage, ShortNamesStandOnTheAxis) {
  EXPECT_THAT(html_report(bare_select()), HasSubstr("\"x_names\":[\"e0\",\"e1\",\"e2\"]"));
  record::Select record = bare_select();
  record.results[0].checkpoint = "a long name";
  EXPECT_THAT(html_report(record), HasSubstr("\"x_names\":[\"1\",\"2\",\"3\"]"));
  record.results = {record.results[1]};
  record.selected.pa.index = 0;
  EXPECT_THAT(html_report(record),
              HasSubstr("\"x_low\":0.0,"));  // one checkpoint stands in the middle of 0..2
}

TEST(SelectPage, RefusesAChoiceThatIsNoCheckpoint) {
  Json record = to_json(bare_select());
  record["selected"]["pa"]["index"] = 3;
  EXPECT_EQ(complaint(record), "r.json: expected a result below 3 at selected.pa.index, found 3");
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

}  // namespace
}  // namespace leeway::report
