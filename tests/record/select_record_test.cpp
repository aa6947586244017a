// The record of leeway select: read as it was written, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/core/result.h"
#include "tests/message_of.h"
#include "tests/record/select_records.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SelectRecord, IsReadAsItWasWritten) {
  const Json json = to_json(test::full_select());
  const Select again = read_select(json, "r.json");
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.options.as, "logits");
  EXPECT_EQ(again.results[1].measured.agreement.pa, .9);
  EXPECT_EQ(again.results[2].measured.accuracy->interval.high, .92);
  EXPECT_FALSE(again.results[0].pairing.pairs());
  EXPECT_EQ(again.selected.accuracy->checkpoint, "run/e2.npz");
  EXPECT_EQ(again.selected.pa_difference->interval.low, .15);
  EXPECT_EQ(json["selected"]["pa_difference_high"], .25);
  const Json bare = to_json(test::bare_select());
  EXPECT_EQ(to_json(read_select(bare, "r.json")), bare);
  for (const char* key : {"accuracy", "accuracy_low", "accuracy_shifted_high", "doubt"})
    EXPECT_TRUE(bare["results"][0].at(key).is_null()) << key;
  for (const char* key : {"accuracy", "accuracy_shifted", "pa_difference", "pa_difference_low"})
    EXPECT_TRUE(bare["selected"].at(key).is_null()) << key;
}

TEST(SelectRecord, RefusesWhatIsNoRecordOfIt) {
  const auto complaint = [](const char* pointer, const Json& value) {
    Json json = to_json(test::full_select());
    json[Json::json_pointer(pointer)] = value;
    return message_of([&] { (void)read_select(json, "r.json"); });
  };
  EXPECT_EQ(complaint("/results/1/accuracy", 2),
            "r.json: expected a number from 0 to 1 at results[1].accuracy, found 2");
  EXPECT_EQ(complaint("/selected/pa/index", 3),
            "r.json: expected a result below 3 at selected.pa.index, found 3");
  EXPECT_EQ(complaint("/selected/accuracy/index", 9),
            "r.json: expected a result below 3 at selected.accuracy.index, found 9");
  EXPECT_EQ(complaint("/results", Json::array()), "r.json: expected at least one result, found none");
  EXPECT_EQ(complaint("/schema", "leeway.select/1"),
            "r.json: expected a record of schema leeway.select/2, found 'leeway.select/1', written by an "
            "earlier version: run the command again");
}

TEST(SelectRecord, TheHeadlineSaysWhatEachCriterionChooses) {
  EXPECT_EQ(
      headline_of(test::full_select()),
      "Posterior agreement chooses run/e1.npz, accuracy chooses run/e2.npz. Under the shift the first is "
      "right on 55% of samples, the second on 50%.");
  Select record = test::full_select();
  record.selected.accuracy = record.selected.pa;
  EXPECT_EQ(headline_of(record),
            "Posterior agreement and accuracy choose the same checkpoint, run/e1.npz. Under the shift it is "
            "right on 55% of samples.");
  record = test::bare_select();
  record.selected.pa.checkpoint = "two\nlines";
  EXPECT_EQ(headline_of(record),
            "two\\x0alines has the highest posterior agreement, 0.900 (0.900 to 0.900). Without labels there "
            "is no accuracy to compare with.");
}

TEST(SelectRecord, FindingsAreDoubtsAndTheDifference) {
  Select record = test::full_select();
  EXPECT_THAT(findings_of(record),
              ElementsAre("rows of shifted/e0.npz need not be those of run/e0.npz",
                          "The posterior agreement of run/e1.npz is higher than that of run/e2.npz by 0.20 "
                          "(0.15 to 0.25): the choice matters."));
  record.selected.pa_difference->interval.low = 0;
  EXPECT_THAT(difference_words(record), ::testing::EndsWith("these samples do not tell the two apart."));
  EXPECT_THAT(findings_of(test::bare_select()), IsEmpty());
}

}  // namespace
}  // namespace leeway::record
