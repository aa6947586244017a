// The record of leeway pa: read as it was written, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/record/json.h"
#include "tests/message_of.h"
#include "tests/record/pa_records.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;

TEST(PaRecord, IsReadAsItWasWritten) {
  const Pa record = test::full_pa();
  const Json json = to_json(record);
  const Pa again = read_pa(json, "r.json");
  EXPECT_EQ(to_json(again), json);
  const PaSet &first = again.results[0], &second = again.results[1];
  EXPECT_TRUE(first.agreement.fitted && first.agreement.converged);
  EXPECT_FALSE(second.agreement.fitted || second.agreement.converged);
  EXPECT_TRUE(std::isnan(second.agreement.gap));
  EXPECT_EQ(first.pairing->by, agreement::EvidenceBy::labels);
  EXPECT_FALSE(second.pairing->pairs());
  EXPECT_EQ(first.decomposition->groups[2].name, "adv");
  EXPECT_TRUE(first.entropy->right_only);
  EXPECT_TRUE(std::isnan(first.entropy->at[1].shifted));
  EXPECT_EQ(again.options.as, "logits");
  EXPECT_EQ(again.ar_gap[0].points[1].ratio_minus, std::nullopt);
  const Json bare = to_json(test::bare_pa());
  EXPECT_EQ(to_json(read_pa(bare, "r.json")), bare);
  for (const char* key : {"model", "shift", "pairing", "doubt", "decomposition", "entropy", "confidence",
                          "afr_true", "afr_true_low", "asr"})
    EXPECT_TRUE(bare["results"][0].at(key).is_null()) << key;
}

TEST(PaRecord, RefusesWhatIsNoRecordOfIt) {
  const auto complaint = [](const Json& json) { return message_of([&] { (void)read_pa(json, "r.json"); }); };
  Json json = to_json(test::full_pa());
  json["results"][1]["ratios"][0]["ratio"] = "x";
  EXPECT_EQ(complaint(json),
            "r.json: expected a number from 0 to 1 at results[1].ratios[0].ratio, found 'x'");
  json = to_json(test::full_pa());
  json["results"][0]["pairing"]["evidence"] = "hope";
  EXPECT_EQ(
      complaint(json),
      "r.json: expected one of labels, ids, agreement, none at results[0].pairing.evidence, found 'hope'");
  json["results"] = Json::array();
  EXPECT_EQ(complaint(json), "r.json: expected at least one result, found none");
  EXPECT_EQ(
      complaint({{"schema", "leeway.pa/1"}}),
      "r.json: expected a record of schema leeway.pa/2, found 'leeway.pa/1', written by an earlier version: "
      "run the command again");
}

TEST(PaRecord, TheHeadlineIsOfTheSetThatKeepsLeast) {
  EXPECT_EQ(test::full_pa().envelope.headline,
            "Between the clean set and noise, b keeps 0.80 of 2.30 posterior agreement; 70% of its "
            "predictions stay "
            "the same.");
  Pa record = test::bare_pa("two\nlines.npy");
  EXPECT_EQ(headline_of(record),
            "Between the clean set and two\\x0alines.npy, 1.20 of 2.30 posterior agreement is left; 70% of "
            "predictions stay the same.");
  record.results.push_back(test::set_of("inf.npy", -HUGE_VAL));
  EXPECT_THAT(headline_of(record), ::testing::HasSubstr("inf.npy, –∞ of 2.30"));
}

TEST(PaRecord, FindingsAreDoubtsAndGaps) {
  Pa record = test::full_pa();
  EXPECT_THAT(findings_of(record),
              ElementsAre("rows of b/noise.npz need not be those of b/clean.npz",
                          "a/noise.npz: at 25% shifted samples, b is where a is at 50% (PA 1.2000)"));
  record.results[1].doubt.clear();
  record.ar_gap[0].points.erase(record.ar_gap[0].points.begin());
  record.ar_gap[0].shift = "noise / blur";
  EXPECT_THAT(findings_of(record), ElementsAre("noise / blur: b starts below the least PA of a"));
  EXPECT_TRUE(findings_of(test::bare_pa()).empty());
}

}  // namespace
}  // namespace leeway::record
