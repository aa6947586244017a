// The record of leeway bound evaluate: read as it was written, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/record/json.h"
#include "tests/message_of.h"
#include "tests/record/bound_evaluations.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two methods, the first with a delta and an adjustment.
BoundEvaluation two_methods() {
  BoundEvaluation record = test::evaluation();
  EvaluatedMethod bound = record.results[0];
  bound.method = "dis2@0.005", bound.delta = .005;
  bound.score = {3, .2, 1. / 3, {.01, .98}, std::nullopt};
  bound.adjusted = {{"scale", .9, bound.score}};
  record.results.insert(record.results.begin(), bound);
  return record;
}

TEST(BoundEvaluateRecord, IsReadAsItWasWritten) {
  const Json json = to_json(two_methods());
  EXPECT_EQ(to_json(read_bound_evaluation(json, "r.json")), json);
  EXPECT_EQ(json["results"][0]["violation_rate"], 1 - 1. / 3);
  EXPECT_EQ(json["results"][0]["violation_rate_low"], 1 - .98);
  EXPECT_EQ(json["results"][0]["exceeds_delta"], true);
  EXPECT_TRUE(json["results"][0]["overestimation"].is_null());
  EXPECT_TRUE(json["results"][1]["exceeds_delta"].is_null());
  EXPECT_EQ(json["results"][1]["adjusted"], Json::array());
}

TEST(BoundEvaluateRecord, RefusesWhatIsNoRecordOfIt) {
  const auto complaint = [](const char* pointer, const Json& value) {
    Json json = to_json(two_methods());
    json[Json::json_pointer(pointer)] = value;
    return message_of([&] { (void)read_bound_evaluation(json, "r.json"); });
  };
  EXPECT_EQ(complaint("/results/0/adjusted/0/adjustment", "none"),
            "r.json: expected one of shift, scale at results[0].adjusted[0].adjustment, found 'none'");
  EXPECT_EQ(complaint("/results/1/points/2/truth", 2),
            "r.json: expected a number from 0 to 1 at results[1].points[2].truth, found 2");
  EXPECT_EQ(complaint("/results", Json::array()), "r.json: expected at least one result, found none");
  EXPECT_EQ(complaint("/schema", "leeway.bound-evaluate/1"),
            "r.json: expected a record of schema leeway.bound-evaluate/2, found 'leeway.bound-evaluate/1', "
            "written by an earlier version: run the command again");
}

TEST(BoundEvaluateRecord, WordsSayTheSafestAndTheClosestMethod) {
  EXPECT_EQ(headline_of(test::evaluation()),
            "Over 3 shifts cot understates the error least often, on 33% (1–90), and is closest to it, 13.3 "
            "points off on average.");
  EXPECT_THAT(findings_of(test::evaluation()), IsEmpty());
  BoundEvaluation record = two_methods();
  record.results[1].score.mae = .3;
  EXPECT_EQ(
      headline_of(record),
      "Over 3 shifts cot understates the error least often, on 33% (1–90); dis2@0.005 is closest to it, "
      "20.0 points off on average.");
  EXPECT_THAT(findings_of(record),
              ElementsAre("dis2@0.005 understates the error on 67% (2–99) of shifts, beyond "
                          "chance above its delta of 0.5%."));
}

}  // namespace
}  // namespace leeway::record
