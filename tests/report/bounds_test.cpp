// The pages of errors without labels: a section of an assessment's, and those of leeway bound and bound evaluate.
#include <gmock/gmock.h>

#include "tests/describe/bound_evaluations.h"
#include "tests/describe/bound_records.h"
#include "tests/report/pages.h"

namespace leeway::tasks::bounds_test {

using test::bare_record;
using test::occurrences;
using test::page_of;
using ::testing::HasSubstr;
using ::testing::Not;

// .1 + .25 + .05 = .4
Assess assessed() {
  Assess record = bare_record();
  record.bounds = AssessBounds{
      "logits", .01, 3, 0, "The bound assumes <this>.", "", {{"ac", "", "ac holds", "it does not"}}};
  AssessResult& result = record.results[0];
  result.error_bound = .4;
  error_bound::Dis2& terms = result.error_bound_terms.emplace();
  terms.source_error = .1, terms.discrepancy = .25, terms.concentration = .05;
  terms.validity_score = .75, terms.n_source = 1500, terms.n_target = 1200;
  result.estimates = {{&error_bound::estimator("ac"), .2, Interval{.17, .23}},
                      {&error_bound::estimator("cot"), .28, {}}};
  return record;
}

TEST(BoundsSection, SaysTheBoundItsTermsAndTheEstimates) {
  const std::string page = page_of(assessed());
  Assess likely = assessed();
  likely.results[0].likely_error = LikelyError{{.2, .17, .23}, .17, .28, true, "it <moved>"};
  EXPECT_THAT(
      page_of(likely),
      HasSubstr("noise: at most 40.0%; estimated at 20%, likely range 17 to 28%"));  // as the headline
  EXPECT_THAT(page, HasSubstr("The bound assumes &lt;this&gt;."));
  for (const char* cell : {">40.0%<", ">10.0%<", ">25.0%<", ">5.0%<", ">0.75<", "1,500 and 1,200"})
    EXPECT_THAT(page, HasSubstr(cell)) << cell;
  EXPECT_THAT(page, HasSubstr("<b>20%</b> <span class=\"iv\">17–23</span>"));
}

TEST(BoundsSection, IsLeftOutWhereNothingWasComputed) {
  Assess record = assessed();
  AssessResult& result = record.results[0];
  result.error_bound.reset(), result.error_bound_terms.reset(), result.estimates.clear();
  result.not_computed = {{"error_bound", "the source has no labels"},
                         {"estimates", "the source has no labels"}};
  const std::string page = page_of(record);
  EXPECT_THAT(page, Not(HasSubstr("id=\"bounds\"")));
  EXPECT_THAT(page, HasSubstr("upper bound on the error and estimated errors: the source has"));
  result.estimates = {{&error_bound::estimator("cot"), .3, {}}};
  result.likely_error = LikelyError{{.3, .25, .35}, .2, .4, true, ""};
  EXPECT_THAT(page_of(record), HasSubstr("without labels? noise: estimated at 30%, likely range 20 to 40%"));
}

TEST(BoundPage, SaysTheBoundByEachInequalityAndEveryRestart) {
  const Bound record = tasks::test::full_bound();
  const std::string page = page_of(record);
  for (const char* id : {"terms", "restarts", "methods", "source"})
    EXPECT_EQ(occurrences(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_THAT(page, HasSubstr("The largest discrepancy was found in restart 6 of 12"));
  EXPECT_THAT(page, HasSubstr("<b>20.0%</b> <span class=\"iv\">18.8–21.2</span>"));
  for (const char* bound : {">48.8%<", ">47.0%<", ">45.5%<"}) EXPECT_THAT(page, HasSubstr(bound));
  EXPECT_THAT(page, Not(HasSubstr("principal components")));
  EXPECT_THAT(page_of(tasks::test::ranged_bound()), HasSubstr("The bound by number of principal components"));
}

TEST(EvaluatePage, SaysHowOftenAndHowFarTheErrorIsUnderstated) {
  const std::string page = page_of(tasks::test::evaluation());
  EXPECT_THAT(page, HasSubstr("At worst, cot understates the error by 30.0 points"));
  EXPECT_EQ(occurrences(page, "<figure class=\"chart\" data-spec=\"scatter\">"), 1u);
  EXPECT_EQ(occurrences(page, "<figure class=\"chart\" data-spec=\"lines\">"), 1u);
  EXPECT_THAT(page, Not(HasSubstr("Against delta")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"adjusted\"")));
}

TEST(EvaluatePage, HoldsAViolationRateAgainstItsDelta) {
  BoundEvaluation record = tasks::test::evaluation();
  record.results.push_back(record.results[0]);
  record.results[0].method = "dis2@0.005", record.results[0].delta = .005;
  record.results[1].method = "dis2@0.1", record.results[1].delta = .1;
  record.envelope.findings = findings_of(record);
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("<span class=\"wrong\">significantly above 0.5%</span>"));  // .01 and more
  EXPECT_THAT(page, HasSubstr("not significantly above 10%"));
  EXPECT_THAT(page, HasSubstr("significantly more than its delta of 0.5%."));
  EXPECT_THAT(page, HasSubstr("Violation rate</strong> <span class=\"note\">by the allowed delta"));
}

TEST(EvaluatePage, ShowsWhatAdjustmentsMakeOfAMethod) {
  BoundEvaluation record = tasks::test::evaluation();
  record.results[0].adjusted = {{"shift", .95, record.results[0].score}};
  EXPECT_THAT(page_of(record), HasSubstr("id=\"adjusted\""));
}

}  // namespace leeway::tasks::bounds_test
