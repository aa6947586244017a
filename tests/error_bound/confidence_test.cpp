// Confidence, negative entropy and softmax, by hand and at the ends of the inverse temperature.
#include "leeway/error_bound/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/error_bound/samples.h"

namespace leeway::error_bound {
namespace {

std::vector<double> softmax(const Rows& logits, double t, std::span<const std::size_t> rows = {}) {
  const Softmax p(logits, t, rows);
  std::vector<double> values;
  (void)p.rows(0, p.n(), values);
  return values;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

// Odds 4 : 2 : 2 at t = 1, 16 : 4 : 4 at t = 2.
TEST(Confidence, ByHand) {
  const Array logits = make_array<double>({1, 3}, {std::log(2), std::log(4), std::log(2)});
  const Scores once = scores(logits, 1), twice = scores(logits, 2);
  EXPECT_NEAR(once.confidence[0], .5, 1e-15);
  EXPECT_NEAR(once.negative_entropy[0], .5 * std::log(.5) + .5 * std::log(.25), 1e-15);
  EXPECT_NEAR(twice.confidence[0], 2. / 3, 1e-15);
  const std::vector<double> p = softmax(logits, 2);
  EXPECT_NEAR(p[0], 1. / 6, 1e-15);
  EXPECT_NEAR(p[1], 4. / 6, 1e-15);
}

TEST(Confidence, AtInfinityTiedTopsShare) {
  const Array logits = make_array<double>({3, 3}, {1, 5, 5, 2, 2, 2, 0, 1, 0});
  const Scores s = scores(logits, infinity);
  EXPECT_EQ(s.confidence, (std::vector<double>{.5, 1. / 3, 1}));
  EXPECT_EQ(s.negative_entropy, (std::vector<double>{-std::log(2.), -std::log(3.), 0}));
  EXPECT_EQ(softmax(logits, infinity), (std::vector<double>{0, .5, .5, 1. / 3, 1. / 3, 1. / 3, 0, 1, 0}));
}

TEST(Confidence, ExtremesAreNumbers) {
  const Array logits = make_array<double>({2, 2}, {1e139, -1e139, 1e-300, 0});
  for (const double t : {1e-300, 1., 1e300}) {
    const Scores s = scores(logits, t);
    for (const double value : s.confidence) EXPECT_TRUE(value >= .5 && value <= 1);
    for (const double value : s.negative_entropy) EXPECT_TRUE(value >= -std::log(2) - 1e-15 && value <= 0);
  }
}

// Saturated rows still differ in entropy: -e^-d (1 + d), where 1 - confidence is lost.
TEST(Confidence, EntropyDoesNotSaturate) {
  const Scores s = scores(make_array<double>({2, 2}, {50, 0, 60, 0}), 1);
  EXPECT_EQ(s.confidence[0], 1);
  EXPECT_EQ(s.confidence[1], 1);
  EXPECT_NEAR(s.negative_entropy[0] / (-51 * std::exp(-50)), 1, 1e-12);
  EXPECT_NEAR(s.negative_entropy[1] / (-61 * std::exp(-60)), 1, 1e-12);
}

TEST(Confidence, ChosenRows) {
  const Sample sample = drawn(500, 7, 1, 3);
  const std::vector<std::size_t> rows = {499, 3, 3, 77};
  const Scores all = scores(sample.logits, 1.3), some = scores(sample.logits, 1.3, rows);
  const std::vector<double> p = softmax(sample.logits, 1.3), q = softmax(sample.logits, 1.3, rows);
  ASSERT_EQ(some.confidence.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(some.confidence[i], all.confidence[rows[i]]);
    EXPECT_EQ(some.negative_entropy[i], all.negative_entropy[rows[i]]);
    for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(q[7 * i + j], p[7 * rows[i] + j]);
  }
}

}  // namespace
}  // namespace leeway::error_bound
