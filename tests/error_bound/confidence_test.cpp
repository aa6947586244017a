#include "leeway/error_bound/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/concentration.h"
#include "leeway/error_bound/detail/temperature.h"
#include "leeway/error_bound/dis2.h"
#include "tests/at_threads.h"
#include "tests/error_bound/samples.h"

namespace leeway::error_bound::confidence_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> softmax(const Rows& logits, double t, std::span<const std::size_t> rows = {}) {
  const Softmax p(logits, t, rows);
  std::vector<double> values;
  (void)p.rows(0, p.n(), values);
  return values;
}

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

TEST(Concentration, HoeffdingTermOfTheTheorem) {
  EXPECT_NEAR(hoeffding_term(5000, 5000, .01), .047985, 5e-7);
  // n_S = 4, n_T = 1: sqrt((4 + 4) log 2 / 8) = sqrt(log 2)
  EXPECT_NEAR(hoeffding_term(4, 1, .5), std::sqrt(std::log(2.)), 1e-15);
}

TEST(Concentration, EmpiricalBernsteinByHand) {
  // n = 1 in both: no deviation is known, so 1 and 1/2; L = log 30, v = 1 + 1/4, M = 2; means 0 and 1.
  const Counts counts{1, 1, 0, 0, 1};
  const double l = std::log(30.);
  EXPECT_NEAR(empirical_bernstein_bound(counts, .1), 1 + std::sqrt(2.5 * l) + 2 * l / 3, 1e-12);
}

TEST(Concentration, AdaptsToSmallVariance) {
  const Counts counts{5000, 5000, 100, 150, 600};
  const double hoeffding = hoeffding_bound(counts, .01) - (counts.mean_source() + counts.mean_target());
  const double bernstein =
      empirical_bernstein_bound(counts, .01) - (counts.mean_source() + counts.mean_target());
  const double betting = betting_bound(counts, counts, .01) - (counts.mean_source() + counts.mean_target());
  EXPECT_LT(betting, bernstein);
  EXPECT_LT(bernstein, hoeffding);
  // Never below what the central limit theorem asks for: 2.326 standard deviations.
  const double variance = (.05 - .01 * .01) / 5000 + .12 * .88 / 5000;
  EXPECT_GT(betting, 2.326 * std::sqrt(variance));
}

TEST(Concentration, ViolatedAtMostAsOftenAsSaid) {
  struct Population {
    double wrong_agreed, right_disagreed, target_disagreed;
  };
  constexpr std::size_t draws = 1000, n_source = 150, n_target = 80;
  for (const Population& p : {Population{.1, .05, .3}, {.02, .2, .6}, {0, .01, .03}, {.5, .5, .5}}) {
    const double truth = p.wrong_agreed - p.right_disagreed + p.target_disagreed;
    for (const double delta : {.01, .05, .1, .2}) {
      std::size_t violated[3] = {};
      for (std::size_t draw = 0; draw < draws; ++draw) {
        Random random(7, stream("concentration test"), draw);
        const auto counts = [&] {
          Counts c{n_source, n_target};
          for (std::size_t i = 0; i < n_source; ++i) {
            const double u = random.uniform();
            c.wrong_agreed += u < p.wrong_agreed;
            c.right_disagreed += u >= p.wrong_agreed && u < p.wrong_agreed + p.right_disagreed;
          }
          for (std::size_t i = 0; i < n_target; ++i)
            c.target_disagreed += random.uniform() < p.target_disagreed;
          return c;
        };
        const Counts measured = counts(), training = counts();
        violated[0] += hoeffding_bound(measured, delta) < truth;
        violated[1] += empirical_bernstein_bound(measured, delta) < truth;
        violated[2] += betting_bound(measured, training, delta) < truth;
      }
      const double most = draws * delta + 3 * std::sqrt(draws * delta * (1 - delta));
      for (const std::size_t count : violated) EXPECT_LE(static_cast<double>(count), most) << delta;
    }
  }
}

Temperature fit(const Sample& sample, const TemperatureOptions& options = {}) {
  return fit_temperature(sample.logits, sample.labels, options);
}

// Three rows right, one wrong, all by a margin of 1: sigma(t) = 3/4, t = log 3.
TEST(Temperature, TwoClassesByHand) {
  const Temperature found = fit(sample_of(2, {1, 0, 0, 1, 1, 0, 1, 0}, {0, 1, 0, 1}));
  EXPECT_NEAR(found.inverse, std::log(3), 1e-12);
  EXPECT_LE(found.error, 1e-12 * found.inverse);
  EXPECT_LE(found.evaluations, 12u);
}

TEST(Temperature, InfiniteWhereEveryLabelIsOnTop) {
  EXPECT_EQ(fit(sample_of(2, {1, 0, 0, 1}, {0, 1})).inverse, infinity);
  EXPECT_EQ(fit(sample_of(3, {1, 1, 0, 0, 1, 0}, {1, 1})).inverse, infinity);  // a shared top, and a sole one
}

TEST(Temperature, ZeroWhereChanceIsBetter) {
  EXPECT_EQ(fit(sample_of(2, {1, 0, 0, 1}, {1, 0})).inverse, 0);
  EXPECT_EQ(fit(sample_of(2, {1, 0, 1, 0}, {1, 0})).inverse, 0);        // right as often as wrong
  EXPECT_EQ(fit(sample_of(3, {2, 2, 2, 5, 5, 5}, {1, 0})).inverse, 0);  // nothing to tell classes apart by
}

// Scaling the logits by c scales t by 1/c; a power of two to the bit.
TEST(Temperature, FollowsTheScaleOfLogits) {
  const Sample sample = drawn(150, 3, 1, 7);
  const double t = fit(sample).inverse;
  for (const int exponent : {-900, -30, 40, 460}) {
    std::vector<double> logits = logits_of(sample);
    for (double& value : logits) value = std::ldexp(value, exponent);
    EXPECT_EQ(fit(sample_of(3, logits, sample.labels)).inverse, std::ldexp(t, -exponent)) << exponent;
  }
}

// One row of huge logits, right by a wide margin: the others decide.
TEST(Temperature, AnOutlierDoesNotHideTheRest) {
  const Temperature found = fit(sample_of(2, {1e9, 0, 1, 0, 1, 0, 1, 0, 0, 1}, {0, 0, 0, 0, 0}));
  EXPECT_NEAR(found.inverse, std::log(3), 1e-9);
}

// Right by 1 a thousand times, wrong by 1e-6 once: 1000 sigma(-t) = 1e-6 sigma(1e-6 t).
TEST(Temperature, NearlySeparable) {
  std::vector<double> logits;
  for (int i = 0; i < 1000; ++i) logits.insert(logits.end(), {1, 0});
  logits.insert(logits.end(), {0, 1e-6});
  const Temperature found = fit(sample_of(2, logits, std::vector<std::int64_t>(1001, 0)));
  const double t = found.inverse;
  EXPECT_NEAR(1000 / (1 + std::exp(t)) / (1e-6 / (1 + std::exp(-1e-6 * t))), 1, 1e-9);
  EXPECT_LE(found.evaluations, 60u);
}

TEST(Temperature, ChosenRowsAreASetOfTheirOwn) {
  const Sample sample = drawn(300, 3, 1, 9);
  const std::vector<double> all = logits_of(sample);
  std::vector<std::size_t> rows;
  std::vector<double> logits;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 300; i += 2)
    for (std::size_t times = 0; times < 1 + i % 3; ++times) {
      rows.push_back(i);
      labels.push_back(sample.labels[i]);
      logits.insert(logits.end(), all.begin() + 3 * static_cast<std::ptrdiff_t>(i),
                    all.begin() + 3 * static_cast<std::ptrdiff_t>(i + 1));
    }
  const double apart = fit(sample_of(3, logits, labels)).inverse;
  EXPECT_EQ(fit(sample, {.rows = rows}).inverse, apart);
  EXPECT_NEAR(fit(sample, {.start = .3, .rows = rows}).inverse, apart, 1e-12 * apart);
}

TEST(Temperature, ThreadsAndOrderChangeNothing) {
  const Sample sample = drawn(70000, 3, 1, 11);  // large enough to start from a part
  const auto work = [&] { return fit(sample); };
  const Temperature one = at_threads(1, work), three = at_threads(3, work);
  EXPECT_EQ(one.inverse, three.inverse);
  std::vector<std::size_t> reversed(sample.n());
  for (std::size_t i = 0; i < reversed.size(); ++i) reversed[i] = sample.n() - 1 - i;
  EXPECT_NEAR(fit(sample, {.rows = reversed}).inverse, one.inverse, 1e-11 * one.inverse);
  Sample single = sample;
  std::vector<float> floats;
  for (const double value : logits_of(sample)) floats.push_back(static_cast<float>(value));
  single.logits = make_array<float>(sample.logits.shape(), floats);
  EXPECT_NEAR(fit(single).inverse, one.inverse, 1e-6 * one.inverse);
}

}  // namespace leeway::error_bound::confidence_test
