#include "leeway/error_bound/loss_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace leeway::error_bound::loss_comparison_test {

// Ten source rows and ten target rows, all agreed on but the first ones of the source and of the target.
Dis2 critic(std::size_t source_disagreed, std::size_t target_disagreed) {
  Dis2 critic;
  critic.n_source = critic.n_target = 10;
  critic.training_discrepancy = .5;
  critic.agreed.assign(20, 1);
  for (std::size_t i = 0; i < source_disagreed; ++i) critic.agreed[i] = 0;
  for (std::size_t i = 0; i < target_disagreed; ++i) critic.agreed[10 + i] = 0;
  return critic;
}

TEST(LossComparison, OfHeldOutRowsByHand) {
  const std::vector<Dis2> found{critic(1, 8), critic(1, 3), critic(2, 3)};
  const LossComparison compared = compare_losses(found);
  EXPECT_EQ(compared.n, 20u);
  ASSERT_EQ(compared.losses.size(), 3u);
  EXPECT_EQ(compared.losses[2].loss, "chuang");
  EXPECT_EQ(compared.losses[0].training_discrepancy, .5);
  EXPECT_NEAR(compared.losses[0].discrepancy, .7, 1e-12);
  ASSERT_EQ(compared.tests.size(), 3u);
  // The first two differ on five target rows, by -1: with a row of 1 and one of -1, mean -5/12, mean square 7/12.
  const LossTest& test = compared.tests[0];
  EXPECT_EQ(test.other, "d-bat");
  EXPECT_NEAR(test.difference, .5, 1e-12);
  const double error = std::sqrt((2. / 12 + 7. / 12 - 25. / 144) / 12), centre = 5. / 12;
  EXPECT_NEAR(test.interval->low, centre - 1.959963984540054 * error, 1e-9);
  EXPECT_NEAR(*test.p, std::erfc(centre / error / std::numbers::sqrt2), 1e-12);
  EXPECT_NEAR(*test.p_adjusted, std::min(1., 2 * *test.p), 1e-12);  // the last pair has a smaller p
}

TEST(LossComparison, OfTargetsIsStudentsPairedTest) {
  const std::vector<LossShifts> found{{"a", {.2, .4, .6}}, {"b", {.1, .2, .3}}, {"c", {.1, .3, .5}}};
  const LossComparison compared = compare_losses(found);
  EXPECT_NEAR(compared.losses[0].discrepancy, .4, 1e-12);
  EXPECT_FALSE(compared.losses[0].training_discrepancy);
  EXPECT_NEAR(*compared.tests[0].p, .0741799, 1e-6);  // .1, .2, .3: t = 2 sqrt(3), 2 degrees of freedom
  EXPECT_NEAR(*compared.tests[0].p_adjusted, 2 * .0741799, 1e-6);
  EXPECT_FALSE(compared.tests[1].p || compared.tests[1].p_adjusted);  // .1 each time
  EXPECT_FALSE(compare_losses(std::vector<LossShifts>{{"a", {.2}}, {"b", {.1}}}).tests[0].interval);
}

}  // namespace leeway::error_bound::loss_comparison_test
