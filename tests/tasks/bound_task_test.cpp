// Bounds and estimates of sets of outputs in memory, and their evaluation. What they compute: tests of error_bound.
#include <gmock/gmock.h>

#include <cmath>
#include <utility>

#include "leeway/tasks/bound/bound.h"
#include "leeway/tasks/bound_evaluate/bound_evaluate.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks::bound_task_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Odds 3:1, 3:1, 7:1 and 1:1 in the source, 7:1, 3:1, 1:3, 1:1 in the target
// (worked out in tests/error_bound/estimator_test.cpp).
BoundTask bound_task(Labels labels = {0, 0, 1, 0}, Labels target_labels = {}) {
  const double a = std::log(3), b = std::log(7);
  BoundTask task{.source = outputs("source", 2, {a, 0, a, 0, b, 0, 0, 0}, std::move(labels)),
                 .target = outputs("target", 2, {b, 0, a, 0, 0, a, 0, 0}, std::move(target_labels)),
                 .seed = 5};
  task.options.temperature = "off";
  task.options.bootstrap = 20;
  task.options.dis2.restarts = 2;
  return task;
}

TEST(BoundTask, IsThatOfTheAnalyses) {
  const Bound record = bound(bound_task());
  std::vector<std::string> methods;
  for (const MethodError& one : record.results) methods.push_back(one.method.method);
  EXPECT_THAT(methods, ElementsAre("dis2", "dis2-estimate", "combined", "ac", "doc", "atc-conf", "atc-ne",
                                   "cot", "cot-published", "cot-corrected"));
  EXPECT_LE(*record.results[2].likely_low, record.results[2].error);
  EXPECT_NEAR(record.results[3].error, 9. / 32, 1e-12);
  EXPECT_LE(record.results[3].interval->low, record.results[3].error);
  EXPECT_TRUE(record.results[0].is_bound);
  EXPECT_EQ(record.results[0].error, record.dis2->dis2.bound);
  EXPECT_EQ(record.dis2->representation, "logits");
  EXPECT_EQ(record.source.error, .25);
  EXPECT_EQ(record.source.n, 4u);
  EXPECT_EQ(record.inverse_temperature, 1);
  EXPECT_FALSE(record.target.error || record.dis2->dis2.corollary);
  ASSERT_TRUE(record.dis2->divergences);
  EXPECT_EQ(record.dis2->divergences->h, .25);  // the row with 1:3
  expect_envelope(record);
}

TEST(BoundTask, UsesTheRowsThatHaveALabel) {
  const Bound record = bound(bound_task({0, no_label, 1, 0}, {0, no_label, no_label, 1}));
  EXPECT_EQ(record.source.n, 3u);
  EXPECT_EQ(record.target.n, 4u);
  EXPECT_NEAR(record.source.error, 1. / 3, 1e-15);
  EXPECT_EQ(record.target.error, .5);
  EXPECT_FALSE(record.dis2->dis2.corollary);
}

TEST(BoundTask, GivenLabelsComeFirstAndMethodsInTheirOrder) {
  BoundTask task = bound_task({}, {0, 0, 1, 1});
  task.options.methods = {"cot", "ac"};
  task.labels = given({1, 1, 1, 1}, 4);
  const Bound record = bound(task);
  EXPECT_EQ(record.source.error, 1);
  EXPECT_EQ(record.target.error, .25);
  EXPECT_FALSE(record.dis2);
  ASSERT_THAT(record.results, SizeIs(2));
  EXPECT_EQ(record.results[0].method.method, "cot");
}

TEST(BoundTask, LeavesOutWhatIsOutOfReachUnlessItIsAskedFor) {
  std::vector<double> logits(4 * 5000);
  for (std::size_t i = 0; i < 4; ++i) logits[i * 5001] = 9;
  BoundTask task{.source = outputs("source", 5000, logits, {0, 1, 2, 4}),
                 .target = outputs("target", 5000, logits)};
  task.options.bootstrap = 20;
  const Bound record = bound(task);
  EXPECT_FALSE(record.dis2);
  EXPECT_EQ(record.results.front().method.method, "combined");
  EXPECT_THAT(record.envelope.warnings,
              ElementsAre(AllOf(HasSubstr("bound is omitted"), HasSubstr("5000 classes"))));
  task.options.methods = {"dis2"};
  EXPECT_REFUSED(bound(task), "5000 classes on 5000 columns...");
}

// Features of noise: every representation, loss and search; a range is a bound for each number of components.
TEST(BoundTask, RepresentationsLossesAndSearches) {
  const NamedOutputs set = along("set", 60, true, 4);
  const auto dis2 = [&](const std::string& representation, const std::string& loss,
                        const std::string& search) {
    BoundTask task{.source = set, .target = set};
    task.options.methods = {"dis2"};
    task.options.dis2.restarts = 2;
    task.options.dis2.representation = representation;
    task.options.dis2.loss = loss, task.options.dis2.search = search;
    return *bound(task).dis2;
  };
  EXPECT_EQ(dis2("features", "disagreement", "maximum").representation, "features");
  EXPECT_EQ(dis2("pca:1/2", "disagreement", "maximum").representation, "pca:2");
  const Dis2Bound range = dis2("pca:range", "disagreement", "maximum");
  ASSERT_TRUE(range.range && range.dis2.corollary);
  EXPECT_EQ(range.dis2.bound, range.range->best().dis2.bound);
  EXPECT_EQ(range.dis2.corollary->holds,
            range.dis2.corollary->target_error <= range.dis2.corollary->threshold);
  for (const char* loss : {"disagreement", "d-bat", "chuang"})
    for (const char* search : {"maximum", "reference"}) {
      const Dis2Bound found = dis2("logits", loss, search);
      EXPECT_THAT(found.dis2.restarts, SizeIs(2));
      EXPECT_GE(found.dis2.bound, found.dis2.estimate) << loss << search;
    }
}

TEST(BoundTask, RefusesWhatItCannotUse) {
  const auto complaint = [](const auto& change) {
    BoundTask task = bound_task();
    change(task);
    return message_of([&] { (void)bound(task); });
  };
  EXPECT_THAT(complaint([](BoundTask& task) { task.options.dis2.representation = "pca:0"; }),
              HasSubstr("bound: representation: expected logits"));
  EXPECT_THAT(complaint([](BoundTask& task) { task.options.dis2.loss = "none"; }),
              HasSubstr("bound: loss: "));
  EXPECT_THAT(complaint([](BoundTask& task) {
                task.target = outputs("wide", 3, {1, 2, 3});
              }),
              HasSubstr("2 classes"));
  EXPECT_EQ(representation_of("pca:1/6")->fraction, 6u);
  EXPECT_EQ(representation_of("pca:3")->components, 3u);
  EXPECT_EQ(representation_of("pca:range")->fraction, 1u);
  EXPECT_TRUE(representation_of("kernel:features")->kernel);
  for (const char* text : {"", "pca", "pca:", "pca:0", "pca:-1", "pca:1.5", "pca:1/0", "pca:1/", "pca:2/3",
                           "PCA:3", "pca: 3", "pca:99999999999999999999", "kernel", "kernel:pca:3"})
    EXPECT_FALSE(representation_of(text)) << text;
}

// Predicted .1 above, right on, .3 below, .2 above (tests/error_bound/evaluation_test.cpp).
TEST(BoundEvaluateTask, ScoresEveryMethodAndItsAdjustments) {
  const auto task_of = [](const std::string& other) {
    const std::vector<error_bound::Shift> shifts{
        {"a", .5, .6}, {"a", .7, .7}, {other, .8, .5}, {other, .4, .6}};
    const std::size_t sets = other == "a" ? 1 : 2;
    return BoundEvaluateTask{
        "shifts",
        {4, sets, {{"guess@0.05", shifts, {.85, .95, 1, .85}, {1, 0, 1, 1}}, {"guess@x", shifts}}},
        {}};
  };
  BoundEvaluateTask task = task_of("b");
  task.options.delta = .2;
  task.options.coverage = {.9};
  task.seed = 5;
  const BoundEvaluation record = bound_evaluate(task);
  ASSERT_THAT(record.results, SizeIs(2));
  const EvaluatedMethod& guess = record.results[0];
  EXPECT_NEAR(guess.score.mae, .15, 1e-12);
  EXPECT_EQ(guess.score.coverage, .5);
  EXPECT_EQ(guess.delta, .05);  // of its name
  EXPECT_EQ(record.results[1].delta, .2);
  ASSERT_THAT(guess.adjusted, SizeIs(2));
  EXPECT_EQ(guess.adjusted[0].adjustment, "shift");
  EXPECT_NEAR(guess.adjusted[0].score.mae, .2, 1e-12);  // .4 .5 .4 .5 beside .5 .7 .8 .4
  EXPECT_THAT(guess.points, SizeIs(4));
  EXPECT_EQ(guess.proved->value, .75);
  ASSERT_TRUE(guess.validity && !record.results[1].validity);
  EXPECT_NEAR(guess.validity->correlation->value, .045 / std::sqrt(.016875 * .14), 1e-12);  // -.1, 0, .3, -.2
  ASSERT_THAT(guess.validity->thresholds, SizeIs(3));  // 0 to .8 keep all, .9 and .95 two, .99 one
  EXPECT_EQ(guess.validity->thresholds[1].threshold, .9);
  EXPECT_EQ(guess.validity->thresholds[1].score.n, 2u);
  EXPECT_NEAR(guess.validity->thresholds[0].worst, .2, 1e-12);
  expect_envelope(record);
  const BoundEvaluation one = bound_evaluate(task_of("a"));
  EXPECT_TRUE(one.results[0].adjusted.empty());
  EXPECT_THAT(one.envelope.warnings, ElementsAre(StartsWith("shifts: no adjustment")));
}

}  // namespace leeway::tasks::bound_task_test
