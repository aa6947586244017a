#include "leeway/tasks/assess/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "leeway/core/error.h"
#include "leeway/core/result.h"
#include "tests/message_of.h"

namespace leeway::assess {
namespace {

// a under x has an accuracy and an estimate, b under y neither.
std::vector<record::AssessResult> made() {
  std::vector<record::AssessResult> results(2);
  record::AssessResult &a = results[0], &b = results[1];
  a.model = "a", a.target = "x", b.model = "b", b.target = "y";
  a.k = b.k = 10;
  a.accuracy.value = .7;
  a.beta = std::numeric_limits<double>::infinity(), b.beta = 2;
  for (record::AssessResult& result : results) {
    record::AssessCell& dog = result.classes.emplace_back();
    dog.index = 3, dog.name = "dog", dog.n = 20;
  }
  a.classes[0].accuracy.value = .5;
  a.estimates = {{&error_bound::estimator("cot"), .2, {}}};
  a.not_computed = {{"error_bound", "not part of this version"}, {"worst_group", "the target has no groups"}};
  b.not_computed = {{"accuracy", "the target has no labels"}};
  return results;
}

const std::vector<record::AssessResult> results = made();

record::AssessGate judged(const std::string& text) { return check_gate(parse_gate(text), results); }

TEST(ParseGate, ReadsEveryComparison) {
  const record::AssessGate gate = parse_gate(" worst_class.accuracy <= 0.8 ");
  EXPECT_EQ(gate.key, "worst_class.accuracy");
  EXPECT_EQ(gate.op, "<=");
  EXPECT_EQ(gate.threshold, .8);
  EXPECT_EQ(parse_gate("estimates.atc-ne>1e-3").key, "estimates.atc-ne");
  for (const std::string op : {"<", "<=", ">", ">=", "==", "!="})
    EXPECT_EQ(parse_gate("n" + op + "-3").op, op);
  EXPECT_EQ(parse_gate("n<-3").threshold, -3);
  EXPECT_EQ(parse_gate("n<+3").threshold, 3);
  EXPECT_EQ(parse_gate("beta==inf").threshold, std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_gate("beta>-inf").threshold, -std::numeric_limits<double>::infinity());
}

TEST(ParseGate, ReadsPercent) {
  EXPECT_EQ(parse_gate("accuracy<80%").threshold, .8);
  EXPECT_EQ(parse_gate("accuracy < 0.1 %").threshold, .001);
  EXPECT_EQ(parse_gate("accuracy_change<-3.5%").threshold, -.035);
}

TEST(ParseGate, TakesTitlesOfTablesForKeys) {
  EXPECT_EQ(parse_gate("AFR(P)<90%").key, "afr_pred");
  EXPECT_EQ(parse_gate("afr(t) < 0.9").key, "afr_true");
  EXPECT_EQ(parse_gate("Agreement<1").key, "pa");
  EXPECT_EQ(parse_gate("error at most>0.2").key, "error_bound");
  EXPECT_EQ(parse_gate("worst class<0.2").key, "worst_class.accuracy");
  EXPECT_EQ(parse_gate("ATC-NE>0.2").key, "estimates.atc-ne");
}

TEST(ParseGate, SaysWhatIsWrong) {
  const auto wrong = [](const std::string& text) { return message_of([&] { (void)parse_gate(text); }); };
  const std::string start = ": expected KEY OP NUMBER such as accuracy<0.8, found ";
  EXPECT_EQ(wrong("accuracy"), "gate \"accuracy\"" + start + "no comparison (< <= > >= == !=)");
  EXPECT_EQ(wrong(""), "gate \"\"" + start + "no comparison (< <= > >= == !=)");
  EXPECT_EQ(wrong("accuracy=0.8"), "gate \"accuracy=0.8\"" + start + "the comparison \"=\"");
  EXPECT_EQ(wrong("accuracy=<0.8"), "gate \"accuracy=<0.8\"" + start + "the comparison \"=<\"");
  EXPECT_EQ(wrong("<0.8"), "gate \"<0.8\"" + start + "the key \"\"");
  EXPECT_EQ(wrong("a/b<0.8"), "gate \"a/b<0.8\"" + start + "the key \"a/b\"");
  EXPECT_EQ(wrong("accuracy<"), "gate \"accuracy<\"" + start + "the number \"\"");
  EXPECT_EQ(wrong("accuracy<8e1%"), "gate \"accuracy<8e1%\"" + start + "the number \"8e1%\"");
  EXPECT_EQ(wrong("accuracy<%"), "gate \"accuracy<%\"" + start + "the number \"%\"");
  EXPECT_EQ(wrong("accuracy<nan"), "gate \"accuracy<nan\"" + start + "the number \"nan\"");
  EXPECT_EQ(wrong("accuracy<0.8<1"), "gate \"accuracy<0.8<1\"" + start + "the number \"0.8<1\"");
}

TEST(CheckGate, IsViolatedWhereItsConditionHolds) {
  const auto violations = [](const std::string& text) { return judged(text).violations.size(); };
  EXPECT_EQ(violations("accuracy<0.7"), 0u);
  EXPECT_EQ(violations("accuracy<=0.7"), 1u);
  EXPECT_EQ(violations("k==10"), 2u);
  EXPECT_EQ(violations("k!=10"), 0u);
  EXPECT_EQ(violations("k>=10"), 2u);
  EXPECT_EQ(violations("beta>1e6"), 1u);
  EXPECT_EQ(violations("beta==inf"), 1u);
  EXPECT_EQ(violations("estimates.cot>0.1"), 1u);
  EXPECT_EQ(violations("worst_class.accuracy<0.6"), 1u);
}

// The numbers are as sums and differences of doubles leave them: 1 - 280/400 is .30000000000000004.
TEST(CheckGate, SharesOfSamplesAreComparedByTheirCounts) {
  record::AssessResult result = results[0];
  result.n = result.source_n = 400;
  result.accuracy.value = 200. / 400, result.source_accuracy.value = 320. / 400;
  result.accuracy_change.value = 200. / 400 - 320. / 400;
  record::AssessCell& worst = result.classes[0];
  worst.n = 400, worst.accuracy.value = 1 - 280. / 400;
  worst.source_n = 10, worst.source_accuracy.value = .7;
  error_bound::Dis2& terms = result.error_bound_terms.emplace();
  terms.source_error = 1 - 280. / 400, terms.n_source = terms.n_target = 400;
  terms.agreement_source = 360. / 400, terms.agreement_target = 240. / 400;
  terms.discrepancy = 360. / 400 - 240. / 400;
  terms.concentration = .30000000000000004;
  const auto violated = [&](const std::string& text) {
    return !check_gate(parse_gate(text), {result}).violations.empty();
  };
  ASSERT_GT(1 - 280. / 400, .3);
  ASSERT_LT(200. / 400 - 320. / 400, -.3);
  EXPECT_FALSE(violated("error_bound_terms.source_error>0.3"));
  EXPECT_TRUE(violated("error_bound_terms.source_error>=0.3"));
  EXPECT_TRUE(violated("error_bound_terms.source_error==0.3"));
  EXPECT_FALSE(violated("accuracy_change<-0.3"));
  EXPECT_TRUE(violated("accuracy_change<=-0.3"));
  EXPECT_TRUE(violated("error_bound_terms.discrepancy==0.3"));
  EXPECT_FALSE(violated("worst_class.accuracy>0.3"));
  EXPECT_TRUE(violated("worst_class.source_accuracy==0.7"));
  EXPECT_TRUE(violated("error_bound_terms.source_error>0.2999"));
  EXPECT_TRUE(violated("error_bound_terms.concentration>0.3"));  // no count makes it
}

TEST(CheckGate, ListsWhatWasNotComputed) {
  const record::AssessGate accuracy = judged("accuracy<0.8");
  ASSERT_EQ(accuracy.not_computed.size(), 1u);
  EXPECT_EQ(accuracy.not_computed[0].model, "b");
  EXPECT_EQ(accuracy.not_computed[0].reason, "the target has no labels");
  const record::AssessGate bound = judged("error_bound>0.2");
  EXPECT_EQ(bound.not_computed.size(), 2u);
  EXPECT_TRUE(bound.violations.empty());
  EXPECT_EQ(judged("worst_group.accuracy<0.2").not_computed[0].reason, "the target has no groups");
  EXPECT_EQ(judged("estimates.ac>0").not_computed.size(), 2u);
}

TEST(CheckGate, RefusesKeysThatNoResultHas) {
  const auto wrong = [](const std::string& text) { return message_of([&] { (void)judged(text); }); };
  EXPECT_EQ(wrong("acuracy<0.8"),
            "gate \"acuracy<0.8\": expected a key of a result such as accuracy, found acuracy, which no "
            "result has; did you mean accuracy?");
  EXPECT_THAT(wrong("errorbound<0.8"), ::testing::EndsWith("did you mean error_bound?"));
  EXPECT_THAT(wrong("zzzzzz<0.8"), ::testing::EndsWith("which no result has"));
  EXPECT_THAT(wrong("worst_group.acuracy<0.8"), ::testing::HasSubstr("which no result has"));
  EXPECT_THAT(wrong("worst_class.accuracy.low<0.8"), ::testing::HasSubstr("which no result has"));
  EXPECT_THAT(wrong("estimates.<0.8"), ::testing::HasSubstr("which no result has"));
  EXPECT_EQ(wrong("model<1"),
            "gate \"model<1\": expected a key whose value is a number, found model to be \"a\"");
  EXPECT_EQ(wrong("worst_class<1"),
            "gate \"worst_class<1\": expected a key whose value is a number, found worst_class to be object");
}

TEST(DescribeGate, CountsTheViolations) {
  const auto said = [](const std::string& text) { return describe(judged(text), results.size()); };
  EXPECT_EQ(said("accuracy<0.8"), "gate accuracy<0.8: violated by a under x (0.7)");
  EXPECT_EQ(said("k>1"), "gate k>1: violated by a under x (10) and 1 other");
  EXPECT_EQ(said("k<1"), "gate k<1: not violated");
  EXPECT_EQ(said("accuracy<0.1"), "gate accuracy<0.1: not violated, 1 result undecided");
  EXPECT_EQ(said("error_bound>0.2"), "gate error_bound>0.2: undecided, no result has a value");
}

TEST(GateJson, ListsViolationsAndWhatIsMissing) {
  record::Assess record;
  record.gates = {judged("accuracy<inf")};
  const Json json = to_json(record)["gates"][0];
  EXPECT_EQ(json["gate"], "accuracy<inf");
  EXPECT_EQ(json["threshold"], "inf");
  EXPECT_EQ(json["violated"], true);
  EXPECT_EQ(json["violations"][0]["value"], .7);
  EXPECT_EQ(json["not_computed"][0]["reason"], "the target has no labels");
}

}  // namespace
}  // namespace leeway::assess
