// The record of leeway bound: read as it was written, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/record/json.h"
#include "tests/message_of.h"
#include "tests/record/bound_records.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BoundRecord, IsReadAsItWasWritten) {
  for (const Bound& record : {test::full_bound(), test::ranged_bound()}) {
    const Json json = to_json(record);
    EXPECT_EQ(to_json(read_bound(json, "r.json")), json);
  }
  const Bound again = read_bound(to_json(test::ranged_bound()), "r.json");
  EXPECT_EQ(again.dis2->dis2.concentrations[2].name, "betting");
  EXPECT_EQ(again.dis2->range->best().components, 5u);
  EXPECT_TRUE(again.dis2->dis2.corollary->holds);
  EXPECT_EQ(again.options.dis2.training_rows, 2500u);
  EXPECT_EQ(again.results[2].interval->high, .2 + .012);
  EXPECT_FALSE(again.results[0].interval);
  EXPECT_TRUE(to_json(again)["results"][0]["error_low"].is_null());
  Bound bare = test::full_bound();
  bare.dis2.reset(), bare.target.error.reset();
  bare.inverse_temperature = HUGE_VAL;
  const Json json = to_json(bare);
  EXPECT_TRUE(json["dis2"].is_null());
  EXPECT_EQ(json["inverse_temperature"], "inf");
  EXPECT_EQ(to_json(read_bound(json, "r.json")), json);
}

TEST(BoundRecord, RefusesWhatIsNoRecordOfIt) {
  const auto complaint = [](const char* pointer, const Json& value) {
    Json json = to_json(test::ranged_bound());
    json[Json::json_pointer(pointer)] = value;
    return message_of([&] { (void)read_bound(json, "r.json"); });
  };
  EXPECT_EQ(complaint("/results/1/error", nullptr),
            "r.json: expected a number from 0 to 1 at results[1].error, found null");
  EXPECT_EQ(complaint("/dis2/concentrations/0/name", "hope"),
            "r.json: expected one of hoeffding, empirical-bernstein, betting at dis2.concentrations[0].name, "
            "found 'hope'");
  EXPECT_EQ(complaint("/dis2/range/chosen", 2),
            "r.json: expected one of dis2.range.bounds at dis2.range.chosen, found 2");
  EXPECT_EQ(complaint("/results", Json::array()), "r.json: expected at least one result, found none");
  EXPECT_THAT(complaint("/options/methods/0", "magic"), HasSubstr("at options.methods[0], found 'magic'"));
  EXPECT_EQ(complaint("/schema", "leeway.bound/1"),
            "r.json: expected a record of schema leeway.bound/2, found 'leeway.bound/1', written by an "
            "earlier version: run the command again");
}

TEST(BoundRecord, TheHeadlineSaysTheBoundTheEstimatesAndTheTruth) {
  Bound record = test::full_bound();
  EXPECT_EQ(headline_of(record),
            "The error on the target is at most 48.8% with probability 99%, if the bound's assumption holds. "
            "Estimates without labels say 20 to 28%. By the target's labels the error is 23.5%.");
  record.options.dis2.holdout = 0;
  EXPECT_THAT(headline_of(record),
              HasSubstr("The bound would be 48.8%, but it was measured on the rows that chose it."));
  record.target.error = .6;
  EXPECT_THAT(headline_of(record), HasSubstr("60.0%, more than the bound: its assumption fails."));
  record.dis2->dis2.bound = 1;
  EXPECT_THAT(headline_of(record), HasSubstr("The bound says nothing here: it reaches 100%."));
  record.dis2.reset(), record.target.error.reset();
  EXPECT_EQ(headline_of(record), "Estimates without labels say 20 to 28%.");
}

TEST(BoundRecord, FindingsAreTheCriticAndTheAssumption) {
  Bound record = test::full_bound();
  EXPECT_THAT(findings_of(record),
              ElementsAre("By the target's labels the error on the held-out rows is 24.0%; the assumption is "
                          "proved where that is at most 30.0% (Corollary E.2). It is, unless an event of "
                          "probability 1% happened."));
  record.dis2->dis2.corollary->holds = false;
  EXPECT_THAT(findings_of(record), ElementsAre(HasSubstr("which does not prove the contrary")));
  record.dis2->dis2.corollary.reset();
  record.dis2->dis2.agreement_source = .06;
  EXPECT_THAT(findings_of(record), ElementsAre(error_bound::critic_warning(record.dis2->dis2)));
  EXPECT_EQ(to_json(record)["dis2"]["critic_warning"], findings_of(record)[0]);
  record.dis2.reset();
  EXPECT_THAT(findings_of(record), IsEmpty());
}

TEST(PercentRange, IsFromTheLowestToTheHighest) {
  const double errors[] = {.28, .2, .21};
  EXPECT_EQ(percent_range(errors), "20 to 28%");
  EXPECT_EQ(percent_range(errors, "–"), "20–28%");
  EXPECT_EQ(percent_range(std::span(errors).subspan(2)), "21%");
  EXPECT_EQ(percent_range({}), "");
}

}  // namespace
}  // namespace leeway::record
