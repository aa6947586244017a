// The inverse temperature against cases by hand and a brute-force minimum.
#include "leeway/error_bound/detail/temperature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/at_threads.h"
#include "tests/error_bound/samples.h"

namespace leeway::error_bound {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

}  // namespace
}  // namespace leeway::error_bound
