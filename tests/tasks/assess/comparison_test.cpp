#include "leeway/tasks/assess/detail/comparison.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace leeway::assess {
namespace {

TEST(Share, CarriesTheExactInterval) {
  const Share s = share(0, 10, .95);
  EXPECT_EQ(s.value, 0);
  EXPECT_EQ(s.interval.low, 0);
  EXPECT_NEAR(s.interval.high, 1 - std::pow(.025, .1), 1e-12);
}

TEST(PairedDifference, OfAHandCount) {
  // b = 10, c = 30, n = 100: p = 11/102, q = 31/102, centre 20/102 = .1960784,
  // half 1.959964 sqrt((42/102 - .0384468) / 102) = .1185734.
  const Difference d = paired_difference(10, 30, 100, .95);
  EXPECT_DOUBLE_EQ(d.value, .2);
  EXPECT_NEAR(d.interval.low, .0775050, 1e-6);
  EXPECT_NEAR(d.interval.high, .3146519, 1e-6);
  EXPECT_TRUE(d.clearly_higher());
  EXPECT_FALSE(d.clearly_lower());
}

TEST(PairedDifference, OfEqualOutcomesIsNotClear) {
  EXPECT_FALSE(paired_difference(0, 0, 1000, .95).clear());
  EXPECT_FALSE(paired_difference(0, 2, 1000, .95).clear());
  EXPECT_EQ(paired_difference(0, 1, 1, .95).interval.high, 1);
}

TEST(UnpairedDifference, OfNewcombesExample) {
  // Newcombe 1998, table II, method 10: 56/70 - 48/80 = .2, from .0524 to .3339.
  const Difference d = unpaired_difference(share(48, 80, .95), share(56, 70, .95), .95);
  EXPECT_NEAR(d.value, .2, 1e-12);
  EXPECT_NEAR(d.interval.low, .0524, 5e-5);
  EXPECT_NEAR(d.interval.high, .3339, 5e-5);
}

TEST(Discordance, CountsWhereOnlyOneIsRight) {
  const std::vector<std::uint8_t> a{1, 1, 0, 0, 1}, b{1, 0, 1, 0, 0};
  EXPECT_EQ(discordance(a, b).only_first, 2u);
  EXPECT_EQ(discordance(a, b).only_second, 1u);
}

RC_GTEST_PROP(PairedDifferenceProperties, SwappingTheTwoTurnsTheSign, ()) {
  const auto b = *rc::gen::inRange<std::size_t>(0, 50), c = *rc::gen::inRange<std::size_t>(0, 50);
  const std::size_t n = b + c + *rc::gen::inRange<std::size_t>(1, 50);
  const Difference d = paired_difference(b, c, n, .95), turned = paired_difference(c, b, n, .95);
  RC_ASSERT(d.value == -turned.value);
  RC_ASSERT(d.interval.low == -turned.interval.high);
}

}  // namespace
}  // namespace leeway::assess
