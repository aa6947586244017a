// Results folded over seeds.
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/parts.h"

namespace leeway::tasks::assess_seeds_test {

using ::testing::ElementsAre;

AssessResult result(const std::string& model, const std::string& target, double accuracy) {
  AssessResult one;
  one.model = model, one.target = target, one.k = 10;
  one.accuracy = {accuracy, accuracy - .01, accuracy + .01};
  return one;
}

std::vector<SeedsOfOne> sets_of(const std::vector<AssessResult>& results, double level) {
  return over_seeds(results, level).value().sets;
}

const double t = .95 * std::sqrt(2 / (4 * .975 * .025));  // the quantile .975 of 2 degrees of freedom

TEST(OverSeeds, HasTheMeanAndStudentsInterval) {
  const auto seeds =
      sets_of({result("cnn#0", "noise", .6), result("mlp", "noise", .5), result("cnn#1", "noise", .7),
               result("cnn#12", "noise", .8), result("cnn#0", "blur", .9)},
              .95);
  ASSERT_EQ(seeds.size(), 1u);  // one seed of blur, and no seed of mlp
  EXPECT_EQ(seeds[0].model, "cnn");
  EXPECT_EQ(seeds[0].target, "noise");
  EXPECT_THAT(seeds[0].results, ElementsAre(0, 2, 3));
  const double half = t * .1 / std::sqrt(3.);
  EXPECT_NEAR(*seeds[0].accuracy.value, .7, 1e-12);
  EXPECT_NEAR(*seeds[0].accuracy.low, .7 - half, 1e-9);
  EXPECT_NEAR(*seeds[0].accuracy.high, .7 + half, 1e-9);
  EXPECT_FALSE(seeds[0].pa.value.has_value());
}

TEST(OverSeeds, StaysWithinTheRange) {
  const auto seeds = sets_of({result("m", "a#1", .9), result("m", "a#2", 1)}, .95);
  ASSERT_EQ(seeds.size(), 1u);
  EXPECT_EQ(seeds[0].target, "a");
  EXPECT_EQ(seeds[0].accuracy.high, 1);
  EXPECT_GE(*seeds[0].accuracy.low, 0);
}

TEST(OverSeeds, AreOfSeedsThatAllHaveAValueAndOfNamesWithANumber) {
  AssessResult unlabelled = result("cnn#2", "noise", .5);
  unlabelled.accuracy = {};
  EXPECT_FALSE(sets_of({result("cnn#1", "noise", .6), unlabelled}, .95).at(0).accuracy.value.has_value());
  EXPECT_FALSE(over_seeds({result("cnn#", "n", .6), result("cnn#a", "n", .6), result("#1", "n", .6),
                           result("#2", "n", .6)},
                          .95)
                   .has_value());
}

}  // namespace leeway::tasks::assess_seeds_test
