// The two-sample test of features: closed forms, level, pairs, order of rows, and the rows that moved.
#include "leeway/agreement/feature_drift.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/core/random.h"
#include "leeway/core/rows.h"
#include "tests/at_threads.h"

namespace leeway::agreement::feature_drift_test {

using ::testing::HasSubstr;

// Normal rows, the first `moved` of them by `by` in every column.
Array rows_of(std::size_t n, std::size_t d, std::uint64_t seed, double by = 0, std::size_t moved = 0) {
  Random random(seed, stream("rows"));
  std::vector<double> values(n * d);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.normal() + (i < moved * d ? by : 0);
  return make_array<double>({n, d}, std::move(values));
}

FeatureDrift drift_of(const Array& source, const Array& target, bool paired = false) {
  return FeatureSets(source, "source", target, "target", 0).drift(paired);
}

// Two points at the median distance s: MMD^2 = 2 - 2 exp(-1/2), up to the error of 256 frequencies.
TEST(FeatureDrift, IsTheMmdOfTheGaussianKernel) {
  const Array zeros = make_array<double>({40, 2}, std::vector<double>(80)),
              ones = make_array<double>({30, 2}, std::vector<double>(60, 1000));
  const FeatureDrift found = drift_of(zeros, ones);
  EXPECT_NEAR(found.test.statistic * found.test.statistic, 2 - 2 * std::exp(-.5), .1);
  EXPECT_LT(found.test.p, 1e-4);
  const FeatureDrift none = drift_of(zeros, zeros);
  EXPECT_EQ(none.test.statistic, 0);
  EXPECT_EQ(none.test.p, 1);
  EXPECT_TRUE(none.moved.empty());
}

TEST(FeatureDrift, HoldsItsLevelAndSeesAShift) {
  std::size_t alarms = 0, paired = 0, seen = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Array source = rows_of(30, 3, 3 * i), target = rows_of(30, 3, 3 * i + 1);
    const FeatureSets sets(source, "source", target, "target", i);
    alarms += sets.drift(false).test.p <= .05, paired += sets.drift(true).test.p <= .05;
    seen += i < 6 && drift_of(source, rows_of(30, 3, 3 * i + 2, 1, 30)).test.p <= .05;
  }
  EXPECT_LE(alarms, 7);  // of 30 at 5%: more with probability .0001
  EXPECT_LE(paired, 7);
  EXPECT_GE(seen, 5);
}

TEST(FeatureDrift, OfPairsSeesWhatRowsAloneDoNot) {
  const Array source = rows_of(100, 4, 1), target = rows_of(100, 4, 1, .1, 100);
  EXPECT_GT(drift_of(source, target).test.p, .2);
  EXPECT_LT(drift_of(source, target, true).test.p, 1e-3);
}

TEST(FeatureDrift, NamesTheRowsThatMovedAndHoldsOutTheirWitness) {
  const FeatureDrift found = drift_of(rows_of(200, 5, 1), rows_of(150, 5, 2, 6, 12));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(found.moved[i].row < 12, i < 12) << i;
  EXPECT_GT(found.moved[0].score, 4);
  for (const auto& [source, target] : found.scores) {
    EXPECT_EQ(source.size(), 100u);
    EXPECT_EQ(target.size(), 75u);
  }
}

// Neither threads nor the order of rows; float32 as float64.
TEST(FeatureDrift, DependsOnTheRowsAlone) {
  const Array source = rows_of(300, 4, 1), target = rows_of(200, 4, 2, .3, 200);
  std::vector<std::size_t> back(200);
  std::iota(back.rbegin(), back.rend(), std::size_t{0});
  const Array turned = Rows(target).take(back);
  const FeatureDrift found = drift_of(source, target), other = drift_of(source, turned);
  EXPECT_EQ(found.test.p, other.test.p);
  EXPECT_NEAR(found.test.statistic, other.test.statistic, 1e-9);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(found.moved[i].row, 199 - other.moved[i].row);
  const auto bits = [&] { return drift_of(source, target).test.statistic; };
  EXPECT_EQ(at_threads(1, bits), at_threads(4, bits));
}

TEST(FeatureDrift, ChunksHaveTheTailOfTheLimit) {
  for (const double q : {1.5, 5., 40.})  // Chernoff's bound of chi-square with one degree of freedom
    EXPECT_NEAR((FeatureSets::Spread{1, 1, 1}.tail(q / 8, 1. / 8)), std::exp(-.5 * (q - 1 - std::log(q))),
                1e-12);
  const Array source = rows_of(500, 3, 1), target = rows_of(120, 3, 2, 1.5, 40);
  const FeatureSets sets(source, "source", target, "target", 0);
  const std::vector<std::size_t> all = all_rows(120);
  const auto p = [&](std::size_t first) {
    return sets.chunk(std::span(all).subspan(first, 40), sets.spread(false)).p;
  };
  EXPECT_LT(p(0), 1e-6);
  EXPECT_GT(p(40), .05);
  EXPECT_GT(p(80), .05);
}

TEST(FeatureDrift, RefusesWhatDoesNotFit) {
  const Array source = rows_of(5, 3, 1);
  Array bad = rows_of(5, 3, 2, std::numeric_limits<double>::quiet_NaN(), 1);
  for (const auto& [target, words] : {std::pair(rows_of(5, 4, 1), "target"), {bad, "row 0"}}) {
    try {
      (void)drift_of(source, target);
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
  EXPECT_EQ(drift_of(rows_of(1, 3, 1), rows_of(1, 3, 2)).moved.size(), 0u);  // one row has no deviation
}

}  // namespace leeway::agreement::feature_drift_test
