#include "leeway/tasks/assess/gates.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/core/result.h"
#include "tests/message_of.h"

namespace leeway::assess::gates_test {

using ::testing::HasSubstr;

// a under x has an accuracy and an estimate, b under y neither.
std::vector<tasks::AssessResult> made() {
  std::vector<tasks::AssessResult> results(2);
  tasks::AssessResult &a = results[0], &b = results[1];
  a.model = "a", a.target = "x", b.model = "b", b.target = "y";
  a.k = b.k = 10;
  a.accuracy.value = .7;
  a.beta = std::numeric_limits<double>::infinity(), b.beta = 2;
  for (tasks::AssessResult& result : results) {
    tasks::AssessCell& dog = result.classes.emplace_back();
    dog.index = 3, dog.name = "dog", dog.n = 20;
  }
  a.classes[0].accuracy.value = .5;
  a.estimates = {{&error_bound::estimator("cot"), .2, {}}};
  a.not_computed = {{"error_bound", "not part of this version"}, {"worst_group", "the target has no groups"}};
  b.not_computed = {{"accuracy", "the target has no labels"}};
  return results;
}

const std::vector<tasks::AssessResult> results = made();

tasks::AssessGate judged(const std::string& text) { return check_gate(parse_gate(text), results); }

struct Parsed {
  std::string text, key, op;
  double threshold;
};

// Percent, and titles of tables for keys.
TEST(ParseGate, ReadsKeysComparisonsAndNumbers) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const Parsed& expected :
       std::vector<Parsed>{{" worst_class.accuracy <= 0.8 ", "worst_class.accuracy", "<=", .8},
                           {"estimates.atc-ne>1e-3", "estimates.atc-ne", ">", .001},
                           {"accuracy_change<-.3", "accuracy_change", "<", -.3},
                           {"n>=+3", "n", ">=", 3},
                           {"accuracy_change!=-.3", "accuracy_change", "!=", -.3},
                           {"beta==inf", "beta", "==", inf},
                           {"log_pa_mean>-inf", "log_pa_mean", ">", -inf},
                           {"accuracy < 0.1 %", "accuracy", "<", .001},
                           {"accuracy_change<-3.5%", "accuracy_change", "<", -.035},
                           {"AFR(P)<90%", "afr_pred", "<", .9},
                           {"afr(t) < 0.9", "afr_true", "<", .9},
                           {"Agreement<1", "pa", "<", 1},
                           {"error at most>0.2", "error_bound", ">", .2},
                           {"worst class<0.2", "worst_class.accuracy", "<", .2},
                           {"ATC-NE>0.2", "estimates.atc-ne", ">", .2}}) {
    const tasks::AssessGate gate = parse_gate(expected.text);
    EXPECT_EQ(gate.key, expected.key);
    EXPECT_EQ(gate.op, expected.op);
    EXPECT_EQ(gate.threshold, expected.threshold) << expected.text;
  }
}

TEST(ParseGate, SaysWhatIsWrong) {
  for (const auto& [text, found] :
       std::vector<std::pair<std::string, std::string>>{{"accuracy", "no comparison"},
                                                        {"", "no comparison"},
                                                        {"accuracy=0.8", "the comparison \"=\""},
                                                        {"accuracy=<0.8", "the comparison \"=<\""},
                                                        {"<0.8", "the key \"\""},
                                                        {"a/b<0.8", "the key \"a/b\""},
                                                        {"accuracy<", "the number \"\""},
                                                        {"accuracy<8e1%", "the number \"8e1%\""},
                                                        {"accuracy<%", "the number \"%\""},
                                                        {"accuracy<nan", "the number \"nan\""},
                                                        {"accuracy<0.8<1", "the number \"0.8<1\""}})
    EXPECT_THAT(message_of([&, &text = text] { (void)parse_gate(text); }),
                ::testing::AllOf(::testing::StartsWith("gate \"" + text + "\": expected "),
                                 HasSubstr("found " + found)));
}

TEST(CheckGate, IsViolatedWhereItsConditionHolds) {
  for (const auto& [text, violations] :
       std::vector<std::pair<const char*, std::size_t>>{{"accuracy<0.7", 0},
                                                        {"accuracy<=0.7", 1},
                                                        {"k==10", 2},
                                                        {"k!=10", 0},
                                                        {"k>=10", 2},
                                                        {"beta>1e6", 1},
                                                        {"beta==inf", 1},
                                                        {"estimates.cot>0.1", 1},
                                                        {"worst_class.accuracy<0.6", 1}})
    EXPECT_EQ(judged(text).violations.size(), violations) << text;
}

// The numbers are as sums and differences of doubles leave them: 1 - 280/400 is .30000000000000004.
TEST(CheckGate, TakesAValueThatIsOffByRoundingForTheThreshold) {
  tasks::AssessResult result = results[0];
  result.n = result.source_n = 400;
  result.accuracy.value = 200. / 400, result.source_accuracy.value = 320. / 400;
  result.accuracy_change.value = 200. / 400 - 320. / 400;
  tasks::AssessCell& worst = result.classes[0];
  worst.n = 400, worst.accuracy.value = 1 - 280. / 400;
  worst.source_n = 10, worst.source_accuracy.value = .7;
  error_bound::Dis2& terms = result.error_bound_terms.emplace();
  terms.source_error = 1 - 280. / 400, terms.n_source = terms.n_target = 400;
  terms.agreement_source = 360. / 400, terms.agreement_target = 240. / 400;
  terms.discrepancy = 360. / 400 - 240. / 400;
  terms.concentration = 1e-20;
  ASSERT_GT(1 - 280. / 400, .3);
  ASSERT_LT(200. / 400 - 320. / 400, -.3);
  for (const auto& [text, violated] :
       std::vector<std::pair<const char*, bool>>{{"error_bound_terms.source_error>0.3", false},
                                                 {"error_bound_terms.source_error>=0.3", true},
                                                 {"error_bound_terms.source_error==0.3", true},
                                                 {"error_bound_terms.source_error>0.2999", true},
                                                 {"accuracy_change<-0.3", false},
                                                 {"accuracy_change<=-0.3", true},
                                                 {"error_bound_terms.discrepancy==0.3", true},
                                                 {"worst_class.accuracy>0.3", false},
                                                 {"worst_class.source_accuracy==0.7", true},
                                                 {"error_bound_terms.concentration>1e-21", true},
                                                 {"error_bound_terms.concentration>0", true},
                                                 {"accuracy<0.5000000000001", true}})
    EXPECT_EQ(!check_gate(parse_gate(text), {result}).violations.empty(), violated) << text;
}

TEST(CheckGate, ListsWhatWasNotComputed) {
  const tasks::AssessGate accuracy = judged("accuracy<0.8");
  ASSERT_EQ(accuracy.not_computed.size(), 1u);
  EXPECT_EQ(accuracy.not_computed[0].model, "b");
  EXPECT_EQ(accuracy.not_computed[0].reason, "the target has no labels");
  const tasks::AssessGate bound = judged("error_bound>0.2");
  EXPECT_EQ(bound.not_computed.size(), 2u);
  EXPECT_TRUE(bound.violations.empty());
  EXPECT_EQ(judged("worst_group.accuracy<0.2").not_computed[0].reason, "the target has no groups");
  EXPECT_EQ(judged("estimates.ac>0").not_computed.size(), 2u);
}

TEST(CheckGate, RefusesKeysThatNoResultHas) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"acuracy", "found acuracy; did you mean accuracy? (leeway assess --list-keys"},
           {"errorbound", "did you mean error_bound?"},
           {"ece", "did you mean quality.ece?"},
           {"zzzzzz", "found zzzzzz (leeway assess --list-keys"},
           {"worst_group.acuracy", "did you mean worst_group.accuracy?"},
           {"worst_class.accuracy.low", "did you mean worst_class.accuracy_low?"},
           {"estimates.", "expected a key of a result"},
           {"model", "expected a key whose value is a number, found model"},
           {"worst_class", "expected a key whose value is a number, found worst_class"}})
    EXPECT_THAT(message_of([&, &text = text] { (void)judged(text + "<0.8"); }), HasSubstr(words)) << text;
}

TEST(ParseGate, RefusesWhatCanNeverHold) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"error_bound>60", "expected a number from 0 to 1 for error_bound (write 60% or 0.6), found 60"},
           {"likely_error.high>35", "write 35% or 0.35"},
           {"quality.ece>5", "write 5% or 0.05"},
           {"pa_normalized>60", "write 60% or 0.6"},
           {"log_pa_mean>1", "found 1"},
           {"pa<-1", "found -1"},
           {"accuracy<85", "write 85% or 0.85"},
           {"accuracy<850%", "for accuracy, found 850%"},
           {"accuracy_change<-3", "write -3% or -0.03"},
           {"drift.p_value<-1e-3", "from 0 to 1 for drift.p_value"},
           {"drift.worst_group.moved<-1", "for drift.worst_group.moved, found -1"},
           {"accuracy>1", "found one that cannot: accuracy is a number from 0 to 1"},
           {"n<1", "one that cannot: n is an integer from 1"}})
    EXPECT_THAT(message_of([&, &text = text] { (void)parse_gate(text); }), HasSubstr(words)) << text;
  for (const char* text : {"accuracy<=0", "accuracy<1", "error_bound>=100%", "drift.p_value<0.001", "pa<3"})
    EXPECT_EQ(parse_gate(text).gate, text);
}

TEST(ParseGate, PosteriorAgreementIsAtMostLogK) {
  const auto said = [](const char* text) {
    return message_of([&] { check_threshold(parse_gate(text), 3); });
  };
  EXPECT_THAT(said("pa>5"), HasSubstr("from 0 to 1.099 for pa"));
  EXPECT_THAT(said("log_pa_mean<-5"), HasSubstr("from -1.099 to 0 for log_pa_mean"));
  for (const char* text : {"pa>1.09", "log_pa_mean<-1.09", "n<5"}) EXPECT_EQ(said(text), "no error");
}

TEST(GateKeys, AreListedWithRangeAndMeaning) {
  EXPECT_THAT(gate_key_list(), HasSubstr("\nworst_class.accuracy: a number from 0 to 1; accuracy"));
  for (const Key& key : gate_keys()) {
    const double value = std::clamp(1., key.range.least, key.range.most);
    EXPECT_EQ(parse_gate(fmt::format("{}=={}", key.path, value)).key, key.path);
    const bool any =
        key.path.starts_with("quality_change.log_loss") || key.path.ends_with("corollary.threshold");
    EXPECT_TRUE(any || std::isfinite(key.range.least) || std::isfinite(key.range.most)) << key.path;
  }
}

TEST(DescribeGate, CountsTheViolations) {
  const auto said = [](const std::string& text) { return tasks::gate_words(judged(text), results.size()); };
  EXPECT_EQ(said("accuracy<0.8"), "failed: accuracy 0.7 < 0.8 (a under x)");
  EXPECT_EQ(said("accuracy<80%"), "failed: accuracy 70% < 80% (a under x)");
  EXPECT_EQ(said("k>3"), "failed: k 10 > 3 (a under x) and 1 other");
  EXPECT_EQ(said("k<3"), "passed: k<3");
  EXPECT_EQ(said("accuracy<0.1"), "passed: accuracy<0.1 (1 result undecided)");
  EXPECT_EQ(said("error_bound>0.2"), "undecided: error_bound>0.2 (no result has a value)");
}

}  // namespace leeway::assess::gates_test
