#include "leeway/tasks/assess/detail/confusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/tasks/assess/detail/confidence.h"

namespace leeway::assess {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::int32_t> clean{0, 0, 0, 1, 2, 1}, shifted{0, 1, 1, 1, 0, 2};

TEST(ConfusionCounts, OfSixRows) {
  EXPECT_THAT(confusion_counts(clean, shifted, 3), ElementsAre(1, 2, 0, 0, 1, 1, 1, 0, 0));
}

TEST(TopFlips, AreSortedByCountThenClass) {
  const auto flips = top_flips(clean, shifted);
  ASSERT_EQ(flips.size(), 3u);
  EXPECT_EQ(flips[0].from, 0);
  EXPECT_EQ(flips[0].to, 1);
  EXPECT_EQ(flips[0].count, 2u);
  EXPECT_EQ(flips[1].from, 1);
  EXPECT_EQ(flips[2].from, 2);
}

TEST(TopFlips, KeepsTheFiftyMostFrequent) {
  std::vector<std::int32_t> from, to;
  for (std::int32_t j = 0; j < 60; ++j)
    for (std::int32_t copy = 0; copy <= j; ++copy) {
      from.push_back(j);
      to.push_back(j + 1);
    }
  const auto flips = top_flips(from, to);
  ASSERT_EQ(flips.size(), max_top_flips);
  EXPECT_EQ(flips.front().count, 60u);
  EXPECT_EQ(flips.back().count, 11u);
}

TEST(ChooseFlips, SpreadsOverChangesOfClass) {
  // Rows 0..4 change 0 -> 1, row 5 changes 1 -> 0 with little confidence, row 6 stays.
  const std::vector<std::int32_t> from{0, 0, 0, 0, 0, 1, 1}, to{1, 1, 1, 1, 1, 0, 1};
  const std::vector<double> before{.9, .8, .99, .6, .8, .55, 1}, after{.9, .8, .9, .6, .8, .55, 1};
  const PredictedPair pair{from, to, before, after};
  EXPECT_THAT(choose_flips(pair, 3), ElementsAre(2, 5, 0));
  EXPECT_THAT(choose_flips(pair, 1), ElementsAre(2));
  EXPECT_THAT(choose_flips(pair, 100), ElementsAre(2, 5, 0, 1, 4, 3));  // 1 and 4 are equal: by row
  EXPECT_THAT(choose_flips(pair, 0), IsEmpty());
}

TEST(ConfidenceHistogram, PutsOneIntoTheLastBin) {
  const auto counts = confidence_histogram(std::vector<double>{.1, .5, .5499, .55, .9999, 1});
  ASSERT_EQ(counts.size(), 20u);
  EXPECT_EQ(counts[2], 1u);
  EXPECT_EQ(counts[10], 2u);
  EXPECT_EQ(counts[11], 1u);
  EXPECT_EQ(counts[19], 2u);
}

TEST(ClassShares, AddUpToOne) {
  EXPECT_THAT(class_shares(std::vector<std::int32_t>{0, 2, 2, 2}, 4), ElementsAre(.25, 0, .75, 0));
}

}  // namespace
}  // namespace leeway::assess
