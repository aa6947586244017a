#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "leeway/agreement/agreement.h"
#include "tests/agreement/cases.h"
#include "tests/message_of.h"

namespace leeway::agreement {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Two pairs at beta = log 3: (3/4, 1/4) twice agrees by 10/16, against (1/4, 3/4) by 6/16.
TEST(FixedBeta, ByHand) {
  const Pair pair = {2, 2, {1, 0, 1, 0}, {1, 0, 0, 1}};
  const std::vector<std::int64_t> labels = {0, 0};
  const Agreement at = agreement_at(clean_array(pair), shifted_array(pair), std::log(3), labels);
  const double high = std::log(10. / 16), low = std::log(6. / 16), mean = (high + low) / 2;
  EXPECT_FALSE(at.fitted);
  EXPECT_FALSE(at.converged);
  EXPECT_TRUE(std::isnan(at.gap));
  EXPECT_EQ(at.beta, std::log(3));
  EXPECT_EQ(at.evaluations, 1);
  EXPECT_NEAR(at.value, mean, 1e-15);
  EXPECT_NEAR(at.log_pa_sum, 2 * mean, 1e-15);
  EXPECT_NEAR(at.pa, std::log(2) + mean, 1e-15);  // negative: this beta is worse than 0
  EXPECT_LT(at.pa, 0);
  EXPECT_NEAR(at.pa_normalized, at.pa / std::log(2), 1e-15);
  EXPECT_LT(at.pa_interval.low, at.pa);
  EXPECT_GT(at.pa_interval.high, at.pa);
  EXPECT_EQ(at.afr_pred, .5);
  EXPECT_EQ(at.afr_true, .5);
  EXPECT_EQ(at.attack_success, .5);
  ASSERT_EQ(at.curve.size(), 1);
  EXPECT_EQ(at.curve[0].beta, std::log(3));
}

// At the best beta it says what the search says, but that each end of the search's interval has a best beta of its own.
TEST(FixedBeta, AtTheMaximumEqualsTheMaximum) {
  const Pair pair = gaussian(3000, 6, 1, 5);
  const Agreement best = posterior_agreement(clean_array(pair), shifted_array(pair));
  const Agreement at = agreement_at(clean_array(pair), shifted_array(pair), best.beta);
  EXPECT_NEAR(at.pa, best.pa, 1e-12);
  EXPECT_NEAR(at.pa_interval.low, best.pa_interval.low, .001);
  EXPECT_NEAR(at.pa_interval.high, best.pa_interval.high, .001);
  EXPECT_EQ(at.afr_pred, best.afr_pred);
  EXPECT_EQ(at.afr_pred_interval.low, best.afr_pred_interval.low);
  EXPECT_FALSE(at.afr_true);
  for (const double factor : {.5, 2.})
    EXPECT_LT(agreement_at(clean_array(pair), shifted_array(pair), factor * best.beta).pa, best.pa);
}

TEST(FixedBeta, AtInfinityOneMovedPairIsEnough) {
  const Pair agrees = {2, 2, {1, 0, 0, 3}, {2, 0, 0, 1}}, moved = {2, 2, {1, 0, 1, 0}, {1, 0, 0, 1}};
  EXPECT_EQ(agreement_at(clean_array(agrees), shifted_array(agrees), infinity).pa, std::log(2));
  const Agreement lost = agreement_at(clean_array(moved), shifted_array(moved), infinity);
  EXPECT_EQ(lost.pa, -infinity);
  EXPECT_EQ(lost.pa_interval.low, -infinity);
  EXPECT_EQ(lost.pa_interval.high, std::log(2));
}

TEST(FixedBeta, BadArguments) {
  const Pair pair = gaussian(4, 3, 1, 1);
  EXPECT_EQ(message_of([&] { (void)agreement_at(clean_array(pair), shifted_array(pair), -1); }),
            "agreement_at: beta: expected at least 0, found -1");
  Pair broken = pair;
  broken.shifted[4] = infinity;
  Options options;
  options.shifted_name = "s.npy";
  EXPECT_NE(message_of([&] {
              (void)agreement_at(clean_array(pair), shifted_array(broken), 1, {}, options);
            }).find("s.npy"),
            std::string::npos);
}

}  // namespace
}  // namespace leeway::agreement
