// Bounds and estimates over shifts in memory, without a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/tasks/bound_evaluate.h"

namespace leeway::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Predicted .1 above, right on, .3 below, .2 above (tests/error_bound/evaluation_test.cpp).
BoundEvaluateTask task_of(const std::string& other_set) {
  const std::vector<error_bound::Shift> shifts{
      {"a", .5, .6}, {"a", .7, .7}, {other_set, .8, .5}, {other_set, .4, .6}};
  return {"shifts",
          [=] {
            return error_bound::ShiftTable{
                4, other_set == "a" ? 1u : 2u, {{"guess@0.05", shifts}, {"guess@x", shifts}}};
          },
          {}};
}

TEST(BoundEvaluateTask, ScoresEveryMethodAndItsAdjustments) {
  BoundEvaluateTask task = task_of("b");
  task.options.delta = .2;
  task.options.coverage = {.9};
  task.seed = 4;
  const record::BoundEvaluation record = bound_evaluate(task);
  ASSERT_EQ(record.results.size(), 2u);
  const record::EvaluatedMethod& guess = record.results[0];
  EXPECT_NEAR(guess.score.mae, .15, 1e-12);
  EXPECT_EQ(guess.score.coverage, .5);
  EXPECT_EQ(guess.delta, .05);  // of its name
  EXPECT_EQ(record.results[1].delta, .2);
  ASSERT_EQ(guess.adjusted.size(), 2u);
  EXPECT_EQ(guess.adjusted[0].adjustment, "shift");
  EXPECT_NEAR(guess.adjusted[0].score.mae, .2, 1e-12);  // .4 .5 .4 .5 beside .5 .7 .8 .4
  EXPECT_EQ(guess.points.size(), 4u);
  EXPECT_EQ(record.envelope.seed, 4u);
  EXPECT_EQ(record.envelope.headline, headline_of(record));
  EXPECT_THAT(record.envelope.warnings, IsEmpty());
}

TEST(BoundEvaluateTask, OneDataSetIsScoredWithoutAdjustment) {
  const record::BoundEvaluation record = bound_evaluate(task_of("a"));
  EXPECT_TRUE(record.results[0].adjusted.empty());
  EXPECT_THAT(record.envelope.warnings,
              ElementsAre("shifts: one data set: no adjustment, which is learnt on others"));
}

}  // namespace
}  // namespace leeway::tasks
