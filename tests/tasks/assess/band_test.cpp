// The source's range: against a sum over all divisions, and how often chunks at rest leave it.
#include "leeway/tasks/assess/detail/band.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "leeway/core/random.h"
#include "leeway/core/two_samples.h"
#include "tests/at_threads.h"

namespace leeway::assess::band_test {

double choose(std::size_t n, std::size_t k) {
  double product = 1;
  for (std::size_t i = 0; i < k; ++i) product *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return product;
}

// P(C <= c), C right ones in a chunk of n where c + right of n + source_n are right.
double tail(std::size_t c, std::size_t n, std::size_t right, std::size_t source_n) {
  double sum = 0;
  for (std::size_t j = 0; j <= c; ++j)
    if (n - j <= n + source_n - right - c)
      sum += choose(right + c, j) * choose(n + source_n - right - c, n - j) / choose(n + source_n, n);
  return sum;
}

// The whole tail: that of band.cpp stops being one at the mean, where none is refused.
TEST(ShareBand, HoldsTheCountsThatNeitherTailRefuses) {
  for (const std::size_t source_n : {1u, 7u, 40u})
    for (std::size_t right = 0; right <= source_n; ++right)
      for (const std::size_t n : {1u, 2u, 9u, 25u})
        for (const double rest : {.05, .005}) {
          const Interval band = share_band(right, source_n, n, rest);
          for (std::size_t c = 0; c <= n; ++c) {
            const bool low = tail(c, n, right, source_n) <= rest / 2;
            const bool high = tail(n - c, n, source_n - right, source_n) <= rest / 2;
            const double value = static_cast<double>(c) / static_cast<double>(n);
            ASSERT_EQ(value < band.low - 1e-9, low) << right << "/" << source_n << " " << c << "/" << n;
            ASSERT_EQ(value > band.high + 1e-9, high) << right << "/" << source_n << " " << c << "/" << n;
          }
        }
}

TEST(ShareBand, OfManyRowsIsTheNormalOne) {
  const Interval band = share_band(7'000'000, 10'000'000, 100'000, .05);
  const double reach = 1.96 * std::sqrt(.7 * .3 * (1e-5 + 1e-7));
  EXPECT_NEAR(band.low, .7 - reach, 2e-5);
  EXPECT_NEAR(band.high, .7 + reach, 2e-5);
}

TEST(MeanBand, OfConstantValuesIsAPoint) {
  const std::vector<double> values(9, .5);
  const Interval band = mean_band(moments_of(values), 3, .05);
  EXPECT_EQ(band.low, .5);
  EXPECT_EQ(band.high, .5);
}

// A classifier of four classes of unlike shares whose confidence is skewed as those of trained ones are.
struct Set {
  std::vector<std::uint8_t> right;
  std::vector<double> confidence;
  std::vector<std::size_t> classes;
};
Set drawn(std::size_t n, Random& random) {
  Set set;
  for (std::size_t i = 0; i < n; ++i) {
    set.confidence.push_back(1 - .75 * std::pow(random.uniform(), 3));
    set.right.push_back(random.uniform() < set.confidence.back());
    set.classes.push_back(std::array<std::size_t, 10>{0, 0, 0, 0, 0, 1, 1, 1, 2, 3}[random.below(10)]);
  }
  return set;
}

std::vector<std::size_t> counted(const std::vector<std::size_t>& classes) {
  std::vector<std::size_t> counts(4);
  for (const std::size_t one : classes) ++counts[one];
  return counts;
}

struct Rates {
  double accuracy = 0, confidence = 0, drawn_mean = 0, distance = 0;
};

// The share of timelines at rest, of 20 chunks of 50 rows, of which a chunk leaves the band.
Rates false_alarms(std::size_t sets) {
  constexpr std::size_t source_n = 500, chunks = 20, n = 50;
  Rates rates;
  const double one = 1 / static_cast<double>(sets), rest = .05 / static_cast<double>(chunks);
  for (std::size_t s = 0; s < sets; ++s) {
    Random random(s, stream("at rest"));
    const Set source = drawn(source_n, random);
    const auto right = static_cast<std::size_t>(std::accumulate(source.right.begin(), source.right.end(), 0));
    const Interval share = share_band(right, source_n, n, rest),
                   mean = mean_band(moments_of(source.confidence), n, rest);
    const std::vector<std::size_t> source_counts = counted(source.classes);
    const auto distance = [&](const std::vector<std::size_t>& classes) {
      return total_variation(source_counts, counted(classes)).value;
    };
    const Measure measure = [&](std::span<const std::size_t> rows) {
      double sum = 0;
      std::vector<std::size_t> classes;
      for (const std::size_t row : rows)
        sum += source.confidence[row], classes.push_back(source.classes[row]);
      return std::vector<double>{sum / static_cast<double>(rows.size()), distance(classes)};
    };
    const DrawnBands bands(source_n, std::vector<std::size_t>{n}, measure, 1000, s);
    const Interval drawn_mean = bands.band(0, n, rest), far = bands.distance_band(1, n, rest);
    bool out_share = false, out_mean = false, out_drawn = false, out_far = false;
    for (std::size_t j = 0; j < chunks; ++j) {
      const Set chunk = drawn(n, random);
      const auto outside = [](const Interval& band, double value) {
        return value < band.low - 1e-9 || value > band.high + 1e-9;
      };
      const double size = static_cast<double>(n),
                   accuracy = std::accumulate(chunk.right.begin(), chunk.right.end(), 0.) / size,
                   confidence = std::accumulate(chunk.confidence.begin(), chunk.confidence.end(), 0.) / size;
      out_share |= outside(share, accuracy), out_mean |= outside(mean, confidence);
      out_drawn |= outside(drawn_mean, confidence), out_far |= outside(far, distance(chunk.classes));
    }
    rates.accuracy += out_share ? one : 0, rates.confidence += out_mean ? one : 0;
    rates.drawn_mean += out_drawn ? one : 0, rates.distance += out_far ? one : 0;
  }
  return rates;
}

// The standard error of a rate of .05 over 100 timelines is .022.
TEST(Bands, AreLeftByOneTimelineAtRestInTwenty) {
  const Rates rates = false_alarms(100);
  for (const double rate : {rates.accuracy, rates.confidence, rates.drawn_mean, rates.distance}) {
    EXPECT_LE(rate, .12);
    EXPECT_GE(rate, .01);
  }
}

// 1,000 timelines: the standard error is .007.
TEST(BandsTier2, AreLeftByOneTimelineAtRestInTwenty) {
  const Rates rates = false_alarms(1000);
  EXPECT_LE(rates.accuracy, .05);
  for (const double rate : {rates.confidence, rates.drawn_mean, rates.distance}) {
    EXPECT_LE(rate, .075);
    EXPECT_GE(rate, .015);
  }
}

TEST(DrawnBands, LieBetweenTheSizesTheyWereDrawnAt) {
  Random random(1, stream("sizes"));
  const Set source = drawn(2000, random);
  const Moments moments = moments_of(source.confidence);
  const Measure mean = [&](std::span<const std::size_t> rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += source.confidence[row];
    return std::vector<double>{sum / static_cast<double>(rows.size())};
  };
  const std::vector<std::size_t> sizes{40, 150, 700, 20'000};
  const DrawnBands bands(2000, sizes, mean, 2000, 1);
  for (const std::size_t n : {40u, 77u, 150u, 700u, 5000u, 20'000u}) {
    const Interval found = bands.band(0, n, .01), expected = mean_band(moments, n, .01);
    const double width = expected.high - expected.low;
    EXPECT_NEAR(found.low, expected.low, .08 * width) << n;
    EXPECT_NEAR(found.high, expected.high, .08 * width) << n;
  }
  const auto ends = [&](int count) {
    return at_threads(count, [&] { return DrawnBands(2000, sizes, mean, 100, 1).band(0, 150, .01).high; });
  };
  EXPECT_EQ(ends(1), ends(4));
}

}  // namespace leeway::assess::band_test
