#include "leeway/core/bounded_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "leeway/core/random.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"

namespace leeway {
namespace {

std::vector<double> zeros_and_ones(std::size_t ones, std::size_t n) {
  std::vector<double> values(n);
  std::fill_n(values.begin(), ones, 1.);
  return values;
}

// Of zeros and ones the interval is Clopper and Pearson's, but for the formula's accuracy.
TEST(BoundedMean, OfZerosAndOnesIsClopperPearson) {
  for (const std::size_t n : {10, 50, 1000, 20000})
    for (const std::size_t ones : {std::size_t{0}, std::size_t{1}, std::size_t{3}, n / 3, n - 1, n})
      for (const double level : {.8, .95, .99}) {
        const Interval found = bounded_mean_interval(zeros_and_ones(ones, n), 0, 1, level);
        const Interval exact = clopper_pearson(ones, n, level);
        const double width = exact.high - exact.low;
        EXPECT_NEAR(found.low, exact.low, .02 * width) << ones << " of " << n << ", level " << level;
        EXPECT_NEAR(found.high, exact.high, .02 * width) << ones << " of " << n << ", level " << level;
      }
}

// The ends' definition: quantiles over weights drawn from the simplex. 40,000 draws know them to .03 of a deviation.
TEST(BoundedMean, IsTheQuantileOverWeightsOfTheSimplex) {
  std::vector<double> values;
  Random random(1, stream("values"));
  for (int i = 0; i < 20; ++i) values.push_back(std::pow(random.uniform(), 4));
  std::vector<double> lows, highs;
  for (std::uint64_t draw = 0; draw < 40000; ++draw) {
    Random weights(2, stream("weights"), draw);
    double total = -std::log(weights.uniform()), sum = 0;
    const double unseen = total;
    for (const double value : values) {
      const double weight = -std::log(weights.uniform());
      total += weight, sum += weight * value;
    }
    lows.push_back(sum / total), highs.push_back((sum + unseen) / total);
  }
  std::sort(lows.begin(), lows.end()), std::sort(highs.begin(), highs.end());
  const Interval found = bounded_mean_interval(values, 0, 1);
  const double deviation = (quantile(highs, .84) - quantile(highs, .16)) / 2;
  EXPECT_NEAR(found.low, quantile(lows, .025), .04 * deviation);
  EXPECT_NEAR(found.high, quantile(highs, .975), .08 * deviation);
}

// Beyond 256 values they are summed up in cells: 257 values against 256 of them.
TEST(BoundedMean, HardlyChangesWhereValuesAreSummedUp) {
  for (const int power : {1, 4, 20}) {
    std::vector<double> values;
    Random random(4, stream("values"), static_cast<std::uint64_t>(power));
    for (int i = 0; i < 256; ++i) values.push_back(-std::pow(random.uniform(), power));
    const Interval each = bounded_mean_interval(values, -3, 0);
    // One more value at the mean moves the ends by 1/256 of their distance from it.
    const double mean = std::accumulate(values.begin(), values.end(), 0.) / 256;
    values.push_back(mean);
    const Interval cells = bounded_mean_interval(values, -3, 0);
    EXPECT_NEAR(cells.low, each.low, .01 * (mean - each.low)) << power;
    EXPECT_NEAR(cells.high, each.high, .01 * (each.high - mean)) << power;
  }
}

TEST(BoundedMean, OfTheWholeRangeAtOnePointIsThatPoint) {
  const Interval found = bounded_mean_interval(std::vector{2., 2., 2.}, 2, 2);
  EXPECT_EQ(found.low, 2);
  EXPECT_EQ(found.high, 2);
}

TEST(BoundedMean, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> values;
  Random random(5, stream("values"));
  for (int i = 0; i < 30000; ++i) values.push_back(random.uniform());
  const auto work = [&] { return bounded_mean_interval(values, 0, 1); };
  const Interval one = at_threads(1, work), four = at_threads(4, work);
  EXPECT_EQ(one.low, four.low);
  EXPECT_EQ(one.high, four.high);
}

TEST(BoundedMean, RefusesWhatHasNoInterval) {
  EXPECT_EQ(message_of([] { (void)bounded_mean_interval({}, 0, 1); }),
            "bounded_mean_interval: expected at least one value, found 0");
  EXPECT_EQ(message_of([] { (void)bounded_mean_interval(std::vector{2.}, 0, 1); }),
            "bounded_mean_interval: expected finite values in [0, 1], found 2");
  EXPECT_EQ(message_of([] {
              constexpr double infinity = std::numeric_limits<double>::infinity();
              (void)bounded_mean_interval(std::vector{0.}, -infinity, 1);
            }),
            "bounded_mean_interval: expected finite values in [-inf, 1], found 0");
  EXPECT_EQ(message_of([] { (void)bounded_mean_interval(std::vector{1.}, 0, 1, 1); }),
            "bounded_mean_interval: level: expected a number between 0 and 1, both excluded, found 1");
}

}  // namespace
}  // namespace leeway
