#include <gtest/gtest.h>

#include <utility>

#include "leeway/agreement/ratios.h"
#include "tests/message_of.h"

namespace leeway::agreement {
namespace {

std::vector<RatioPoint> sweep_of(const std::vector<std::pair<double, double>>& corners) {
  std::vector<RatioPoint> sweep;
  for (const auto& [ratio, pa] : corners) {
    sweep.emplace_back();
    sweep.back().ratio = ratio;
    sweep.back().agreement.pa = pa;
  }
  return sweep;
}

// The ratio at which `sweep` has fallen to `level`: beside a better model that has this level at a ratio of its own.
std::optional<double> ratio_at_level(const std::vector<RatioPoint>& sweep, double level) {
  return ar_gap(sweep_of({{-1, level}, {sweep.back().ratio, 99}}), sweep).points[0].ratio_minus;
}

TEST(ArGap, LevelsAreMetBetweenTheRatios) {
  const auto sweep = sweep_of({{0, 2}, {.5, 1}, {1, .5}});
  EXPECT_EQ(ratio_at_level(sweep, 2), 0);
  EXPECT_NEAR(*ratio_at_level(sweep, 1.5), .25, 1e-15);
  EXPECT_EQ(ratio_at_level(sweep, 1), .5);
  EXPECT_NEAR(*ratio_at_level(sweep, .75), .75, 1e-15);
  EXPECT_EQ(ratio_at_level(sweep, .5), 1);
  EXPECT_FALSE(ratio_at_level(sweep, .4));         // never so low
  EXPECT_FALSE(ratio_at_level(sweep, 2.1));        // lower from the start
  EXPECT_EQ(ratio_at_level(sweep, 2 + 1e-10), 0);  // the accuracy of PA
}

TEST(ArGap, TheFirstMeetingCountsAndOfAFlatPieceItsBeginning) {
  // Falls to 1 at .25, rises to 1.5 at .5, falls again.
  EXPECT_EQ(ratio_at_level(sweep_of({{0, 2}, {.25, 1}, {.5, 1.5}, {1, 0}}), 1), .25);
  EXPECT_NEAR(*ratio_at_level(sweep_of({{0, 2}, {.25, 1}, {.5, 1.5}, {1, 0}}), 1.2), .2, 1e-15);
  EXPECT_EQ(ratio_at_level(sweep_of({{0, 2}, {.25, 1}, {.75, 1}, {1, 0}}), 1), .25);
  EXPECT_EQ(ratio_at_level(sweep_of({{0, 1}, {.5, 1}, {1, 0}}), 1), 0);
  // A rise above a start that already is below the level does not meet it.
  EXPECT_FALSE(ratio_at_level(sweep_of({{0, 1}, {.5, 2}, {1, 1}}), 1.5));
}

TEST(ArGap, PointsAreAtTheRatiosOfTheBetterModel) {
  const auto robust = sweep_of({{1, 1.5}, {0, 2}, {.5, 1.75}});  // in any order
  const auto weak = sweep_of({{0, 2}, {.5, 1}, {1, .5}});
  for (const bool swapped : {false, true}) {
    const ArGap gap = swapped ? ar_gap(weak, robust) : ar_gap(robust, weak);
    EXPECT_EQ(gap.first_is_plus, !swapped);
    ASSERT_EQ(gap.points.size(), 3);
    const double expected[3][4] = {{2, 0, 0, 0}, {1.75, .5, .125, .375}, {1.5, 1, .25, .75}};
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(gap.points[i].pa, expected[i][0]);
      EXPECT_EQ(gap.points[i].ratio_plus, expected[i][1]);
      EXPECT_NEAR(*gap.points[i].ratio_minus, expected[i][2], 1e-15);
      EXPECT_NEAR(*gap.points[i].gap, expected[i][3], 1e-15);
    }
  }
}

// PA of + rises again from .2 on: it has fallen to .5 at .2, not only at 1.
TEST(ArGap, OfASweepThatRisesIsByFirstCrossingsOfBoth) {
  const auto dip = sweep_of({{0, 2}, {.2, .5}, {.6, 1.25}, {1, .5}});
  const ArGap own = ar_gap(dip, dip);
  const double ratios[]{0, .1, .2, .2};
  ASSERT_EQ(own.points.size(), 4u);
  for (std::size_t i = 0; i < own.points.size(); ++i) {
    EXPECT_NEAR(own.points[i].ratio_plus, ratios[i], 1e-15);
    EXPECT_EQ(own.points[i].gap, 0);
  }
  EXPECT_EQ(ar_gap(sweep_of({{0, 1}, {.5, 2}, {1, .5}}), dip).points.size(), 2u);  // 2 is above the first
}

TEST(ArGap, TheBetterModelIsThatOfTheLargestCommonRatio) {
  // At 1 alone the second would win; both hold .5.
  const auto first = sweep_of({{0, 2}, {.5, 1.5}, {.75, .1}}), second = sweep_of({{0, 2}, {.5, 1}, {1, .9}});
  const ArGap gap = ar_gap(first, second);
  EXPECT_TRUE(gap.first_is_plus);
  EXPECT_FALSE(gap.points[2].ratio_minus);  // PA .1: the other never falls so low
  EXPECT_FALSE(gap.points[2].gap);
  EXPECT_TRUE(ar_gap(first, first).first_is_plus);
  EXPECT_EQ(message_of([&] {
              (void)ar_gap(sweep_of({{0, 1}}), sweep_of({{1, 1}}));
            }),
            "ar_gap: expected sweeps with a ratio in common, found none");
}

}  // namespace
}  // namespace leeway::agreement
