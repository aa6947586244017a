#include "leeway/tasks/assess/detail/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "leeway/core/error.h"
#include "leeway/core/random.h"
#include "tests/at_threads.h"

namespace leeway::assess {
namespace {

using ::testing::ElementsAre;

TEST(Predict, TakesTheLowestOfTiedClasses) {
  // Rows: clear, tied, all equal. Confidence 1/(1 + e^-1 + e^-3), 1/(1 + 1 + e^-1), 1/3.
  const Predictions p = predict(make_array<float>({3, 3}, {0, 3, 2, 5, 4, 5, 7, 7, 7}), "a");
  EXPECT_THAT(p.classes, ElementsAre(1, 0, 0));
  EXPECT_NEAR(p.confidences[0], 1 / (1 + std::exp(-1.) + std::exp(-3.)), 1e-15);
  EXPECT_NEAR(p.confidences[1], 1 / (2 + std::exp(-1.)), 1e-15);
  EXPECT_NEAR(p.confidences[2], 1 / 3., 1e-15);
  EXPECT_NEAR(p.mean_confidence, (p.confidences[0] + p.confidences[1] + p.confidences[2]) / 3, 1e-15);
}

TEST(Predict, SurvivesHugeLogits) {
  const Predictions p = predict(make_array<double>({2, 2}, {1e308, -1e308, -1e308, -1e308}), "a");
  EXPECT_EQ(p.confidences[0], 1);
  EXPECT_EQ(p.confidences[1], .5);
  EXPECT_EQ(p.saturated_share, .5);
}

TEST(Predict, NamesTheFirstLogitThatIsNotFinite) {
  const float inf = std::numeric_limits<float>::infinity();
  try {
    (void)predict(make_array<float>({2, 3}, {0, 1, 2, 0, -inf, inf}), "shifted.npz");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "shifted.npz: expected finite logits, found -inf at row 1, class 1");
  }
}

TEST(Predict, CountsRepeatedRows) {
  // Rows 0 and 2 are equal, -0 equals 0: one of four repeats another.
  const Predictions p = predict(make_array<double>({4, 2}, {0, 1, 1, 0, -0., 1, 2, 0}), "a");
  EXPECT_EQ(p.repeated_share, .25);
  EXPECT_FALSE(p.constant);
  EXPECT_TRUE(predict(make_array<double>({3, 2}, {0, 1, 0, 1, 0, 1}), "a").constant);
  EXPECT_FALSE(predict(make_array<double>({1, 2}, {0, 1}), "a").constant);
}

TEST(Predict, EstimatesRepeatsOfManyRows) {
  // 200000 rows, each there twice: half of them repeat another.
  std::vector<double> logits;
  for (int copy = 0; copy < 2; ++copy)
    for (int i = 0; i < 100000; ++i) {
      logits.push_back(i);
      logits.push_back(-i);
    }
  EXPECT_EQ(predict(make_array<double>({200000, 2}, std::move(logits)), "a").repeated_share, .5);
}

TEST(Predict, HasTheSameBitsForAnyThreads) {
  Random random(1, stream("test"));
  std::vector<float> logits(20000 * 5);
  for (float& value : logits) value = static_cast<float>(3 * random.normal());
  const Array array = make_array<float>({20000, 5}, std::move(logits));
  const auto work = [&] { return predict(array, "a"); };
  const Predictions one = at_threads(1, work), three = at_threads(3, work);
  EXPECT_EQ(one.mean_confidence, three.mean_confidence);
  EXPECT_EQ(one.confidences, three.confidences);
}

RC_GTEST_PROP(PredictProperties, AConstantAddedToARowChangesNothing, ()) {
  const auto row = *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(-20, 20));
  const int shift = *rc::gen::inRange(-1000, 1000);
  std::vector<double> plain(row.begin(), row.end()), moved;
  for (const int value : row) moved.push_back(value + shift);
  const Predictions a = predict(make_array<double>({1, 4}, std::move(plain)), "a");
  const Predictions b = predict(make_array<double>({1, 4}, std::move(moved)), "b");
  RC_ASSERT(a.classes == b.classes);
  RC_ASSERT(a.confidences == b.confidences);
  RC_ASSERT(a.confidences[0] >= .25 && a.confidences[0] <= 1);
}

}  // namespace
}  // namespace leeway::assess
