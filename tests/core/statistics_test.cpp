#include "leeway/core/statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "leeway/core/bounded_mean.h"
#include "leeway/core/random.h"
#include "leeway/core/two_samples.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"

namespace leeway::statistics_test {

using Counts = std::vector<std::size_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Reference {
  std::string what;
  std::size_t a, b;
  double level, low, high;
};

std::vector<Reference> references() {
  std::ifstream file(LEEWAY_REFERENCE "/statistics.csv");
  std::vector<Reference> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    Reference row;
    std::string level, low, high;
    fields >> row.what >> row.a >> row.b >> level >> low >> high;
    row.level = std::strtod(level.c_str(), nullptr);
    row.low = std::strtod(low.c_str(), nullptr);
    row.high = std::strtod(high.c_str(), nullptr);
    rows.push_back(row);
  }
  return rows;
}

void expect_close(double value, double reference) {
  EXPECT_NEAR(value, reference, 1e-10 * std::abs(reference));
}

TEST(Statistics, AgreesWithOtherPrograms) {
  const auto rows = references();
  ASSERT_EQ(rows.size(), 112u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what + " " + std::to_string(row.a) + " " + std::to_string(row.b) + " " +
                 std::to_string(row.level));
    if (row.what == "normal_quantile") {
      expect_close(normal_quantile(row.level), row.low);
    } else if (row.what == "mcnemar") {
      expect_close(mcnemar_p(row.a, row.b), row.low);
    } else {
      ASSERT_THAT(row.what, ::testing::AnyOf("clopper_pearson", "wilson"));
      const auto compute = row.what == "wilson" ? wilson : clopper_pearson;
      const Interval interval = compute(row.a, row.b, row.level);
      expect_close(interval.low, row.low);
      expect_close(interval.high, row.high);
    }
  }
}

// 1, 2, 3, 4: mean 5/2, s^2 = 5/3, so the error is sqrt(5/12).
TEST(Mean, ByHand) {
  const std::vector<double> values{1, 2, 3, 4};
  const Mean mean = mean_and_error(values);
  EXPECT_DOUBLE_EQ(mean.mean, 2.5);
  EXPECT_DOUBLE_EQ(mean.standard_error, std::sqrt(5. / 12));
  EXPECT_EQ(mean.n, 4u);
}

TEST(StudentInterval, ByHand) {
  const std::vector<double> values{1, 2, 3}, one{1};
  const double t = .95 * std::sqrt(2 / (4 * .975 * .025));
  const Interval interval = student_interval(values);
  EXPECT_NEAR(interval.high - 2, t / std::sqrt(3.), 1e-12);  // s = 1
  EXPECT_NEAR(2 - interval.low, t / std::sqrt(3.), 1e-12);
  EXPECT_EQ(student_interval(one).high, std::numeric_limits<double>::infinity());
}

TEST(Mean, OfOneAndOfNone) {
  const std::vector<double> one{3};
  EXPECT_EQ(mean_and_error(one).mean, 3);
  EXPECT_TRUE(std::isnan(mean_and_error(one).standard_error));
  EXPECT_EQ(mean_and_error(one).n, 1u);
  EXPECT_TRUE(std::isnan(mean_and_error({}).mean));
  EXPECT_TRUE(std::isnan(mean_and_error({}).standard_error));
}

// A variance by squares minus squared mean would lose all digits here.
TEST(Mean, FarFromZero) {
  const std::vector<double> values{1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
  EXPECT_DOUBLE_EQ(mean_and_error(values).standard_error, std::sqrt(5. / 12));
}

TEST(Mean, HasTheSameBitsForAnyThreads) {
  std::vector<double> values(100'000);
  Random random(3, 0);
  for (double& value : values) value = random.normal();
  const auto work = [&] { return mean_and_error(values); };
  const Mean one = at_threads(1, work), seven = at_threads(7, work);
  EXPECT_EQ(one.mean, seven.mean);
  EXPECT_EQ(one.standard_error, seven.standard_error);
}

double mean_row(std::span<const std::size_t> rows) {
  double sum = 0;
  for (const std::size_t row : rows) sum += static_cast<double>(row);
  return sum / static_cast<double>(rows.size());
}

// Three replicates sorted a <= b <= c at level .25: of four ranks .375 lie on either side, rank 1.5, half way from a to b.
TEST(Bootstrap, IsThePercentileOfItsReplicates) {
  std::vector<double> means;
  for (std::uint64_t b = 0; b < 3; ++b) {
    Random random(11, stream("bootstrap"), b);
    std::vector<std::size_t> rows(50);
    for (auto& row : rows) row = random.below(50);
    means.push_back(mean_row(rows));
  }
  std::sort(means.begin(), means.end());
  const Interval interval = bootstrap(50, mean_row, {.replicates = 3, .level = .25, .seed = 11});
  EXPECT_DOUBLE_EQ(interval.low, (means[0] + means[1]) / 2);
  EXPECT_DOUBLE_EQ(interval.high, (means[1] + means[2]) / 2);
}

// Of 199 draws of a uniform variable the r-th has mean r / 200, and so has what lies below it.
TEST(Bootstrap, EndsLeaveOutTheirShare) {
  std::vector<double> means;
  for (int r = 1; r < 200; ++r) means.push_back(r / 200.);
  const Interval interval = replicate_interval(means, .95);
  EXPECT_NEAR(interval.low, .025, 1e-15);
  EXPECT_NEAR(interval.high, .975, 1e-15);
  const Interval of_few = replicate_interval(std::vector<double>{1, 2, 3}, .95);  // too few to leave any out
  EXPECT_EQ(of_few.low, 1);
  EXPECT_EQ(of_few.high, 3);
  EXPECT_EQ(replicate_interval(std::vector<double>{7}).high, 7);
}

TEST(Bootstrap, HasTheSameBitsForAnyThreads) {
  const auto work = [&] { return bootstrap(200, mean_row); };
  const Interval one = at_threads(1, work), seven = at_threads(7, work);
  EXPECT_EQ(one.low, seven.low);
  EXPECT_EQ(one.high, seven.high);
  EXPECT_NE(one.low, bootstrap(200, mean_row, {.seed = 1}).low);
}

TEST(Bootstrap, LeavesOutWhatIsUndefined) {
  const auto undefined_without_row_0 = [](std::span<const std::size_t> rows) {
    return std::find(rows.begin(), rows.end(), 0u) == rows.end() ? nan : 2.;
  };
  EXPECT_EQ(bootstrap(3, undefined_without_row_0).low, 2);
  EXPECT_EQ(bootstrap(3, undefined_without_row_0).high, 2);
  EXPECT_TRUE(std::isnan(bootstrap(3, [](auto) { return nan; }).low));
}

TEST(Bootstrap, KeepsInfinities) {
  const auto infinite = [](auto) { return -std::numeric_limits<double>::infinity(); };
  EXPECT_EQ(bootstrap(3, infinite).high, -std::numeric_limits<double>::infinity());
}

// Tables of the sign test: ranks 6 and 15 of 20 hold the median with 95.9%, 2 and 9 of 10 with 97.9%; 5 values say nothing at 95%.
TEST(QuantileInterval, IsOfOrderStatistics) {
  const auto ranks = [](std::size_t n, double p, double level = .95) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i + 1);
    const Interval interval = quantile_interval(values, p, level);
    return std::pair{interval.low, interval.high};
  };
  EXPECT_EQ(ranks(20, .5), std::pair(6., 15.));
  EXPECT_EQ(ranks(10, .5), std::pair(2., 9.));
  EXPECT_EQ(ranks(6, .5), std::pair(1., 6.));
  EXPECT_EQ(ranks(5, .5), std::pair(-HUGE_VAL, HUGE_VAL));
  EXPECT_EQ(ranks(10000, .5), std::pair(4902., 5099.));
  EXPECT_EQ(ranks(10, .99).second, HUGE_VAL);
  const std::vector<double> some{0, 0, 1, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  EXPECT_EQ(quantile_interval(some, .5).high, HUGE_VAL);
}

TEST(Statistics, Errors) {
  EXPECT_REFUSED(clopper_pearson(4, 3), "clopper_pearson: successes: expected at most n = 3, found 4");
  EXPECT_REFUSED(wilson(1, 3, 1), "wilson: level: expected a number between 0 and 1 (exclusive), found 1");
  EXPECT_REFUSED(normal_quantile(nan), "normal_quantile: p: expected a number between 0 and ... found nan");
  EXPECT_REFUSED(bootstrap(0, mean_row), "bootstrap: n: expected at least one row, found 0");
  EXPECT_REFUSED(bootstrap(3, mean_row, {.replicates = 0}), "bootstrap: replicates: expected at ... found 0");
}

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
  EXPECT_REFUSED(bounded_mean_interval({}, 0, 1), "bounded_mean_interval: expected at least one ... found 0");
  EXPECT_REFUSED(bounded_mean_interval(std::vector{2.}, 0, 1), "bounded_mean_interval: expected ... found 2");
  EXPECT_REFUSED(bounded_mean_interval(std::vector{0.}, -HUGE_VAL, 1),
                 "bounded_mean_interval: expected finite values in [-inf, 1], found 0");
  EXPECT_REFUSED(bounded_mean_interval(std::vector{1.}, 0, 1, 1), "bounded_mean_interval: ... found 1");
}

double gap_of(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (const std::vector<double>* values : {&a, &b})
    for (const double x : *values) {
      const auto below = [&](const std::vector<double>& list) {
        return static_cast<double>(std::ranges::count_if(list, [&](double y) { return y <= x; })) /
               static_cast<double>(list.size());
      };
      most = std::max(most, std::abs(below(a) - below(b)));
    }
  return most;
}

// The share of all divisions of the pooled values that are at least as far apart.
double share_of_divisions(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all(a);
  all.insert(all.end(), b.begin(), b.end());
  const double seen = gap_of(a, b);
  std::size_t hits = 0, divisions = 0;
  std::vector<char> first(all.size(), 0);
  std::fill(first.end() - static_cast<std::ptrdiff_t>(a.size()), first.end(), 1);
  do {
    std::vector<double> one, other;
    for (std::size_t i = 0; i < all.size(); ++i) (first[i] ? one : other).push_back(all[i]);
    hits += gap_of(one, other) >= seen - 1e-12;
    ++divisions;
  } while (std::next_permutation(first.begin(), first.end()));
  return static_cast<double>(hits) / static_cast<double>(divisions);
}

TEST(KolmogorovSmirnov, IsScipys) {
  const TwoSampleTest found =
      kolmogorov_smirnov({.1, .25, .5, .7, .95, .33, .61}, {.2, .4, .8, .99, .97, .88});
  EXPECT_NEAR(found.statistic, 0.5238095238095238, 1e-15);
  EXPECT_NEAR(found.p, 0.2773892773892773, 1e-12);
  EXPECT_TRUE(found.exact);
}

TEST(KolmogorovSmirnov, CountsAllDivisionsWithAndWithoutTies) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed, stream("ties"));
    std::vector<double> a(1 + random.below(6)), b(1 + random.below(6));
    const std::uint64_t values = 2 + random.below(8);
    for (std::vector<double>* list : {&a, &b})
      for (double& x : *list) x = static_cast<double>(random.below(values));
    EXPECT_NEAR(kolmogorov_smirnov(a, b).p, share_of_divisions(a, b), 1e-12) << seed;
  }
}

TEST(KolmogorovSmirnov, TheLimitIsNearTheExactOne) {
  const auto at = [](std::size_t n, std::size_t m) {
    std::vector<double> a(n), b(m);
    for (std::size_t i = 0; i < n; ++i) a[i] = (static_cast<double>(i) + .5) / static_cast<double>(n);
    for (std::size_t i = 0; i < m; ++i)
      b[i] = std::pow((static_cast<double>(i) + .5) / static_cast<double>(m), 1.1);
    return kolmogorov_smirnov(a, b);
  };
  const TwoSampleTest found = at(1500, 1400);  // beyond exact_product
  EXPECT_FALSE(found.exact);
  EXPECT_NEAR(found.p, 0.30496212145206075, .005);
  EXPECT_TRUE(at(1000, 1000).exact);
}

TEST(KolmogorovSmirnov, EdgesAreNoEvidence) {
  EXPECT_EQ(kolmogorov_smirnov({.5}, {.5}).p, 1);
  EXPECT_EQ(kolmogorov_smirnov({.5}, {.7}).p, 1);  // one row each: nothing is unlikely
  EXPECT_EQ(kolmogorov_smirnov(std::vector<double>(5000, 1), std::vector<double>(3000, 1)).p, 1);
  EXPECT_NEAR(kolmogorov_smirnov({.1, .1, .1}, {.9, .9, .9}).p, .1, 1e-12);  // 2 of 20 divisions
  EXPECT_REFUSED(kolmogorov_smirnov({}, {1}), "kolmogorov_smirnov: expected two samples, found an empty one");
  EXPECT_REFUSED(kolmogorov_smirnov({NAN}, {1}), "kolmogorov_smirnov: expected numbers, found NaN");
}

TEST(Homogeneity, OfManyCountsIsChiSquare) {
  const TwoSampleTest found = homogeneity(Counts{40, 30, 30, 0}, Counts{60, 25, 15, 0});
  EXPECT_FALSE(found.exact);
  EXPECT_NEAR(found.statistic, 9.454545454545455, 1e-12);
  EXPECT_NEAR(found.p, 0.008850576089052103, 1e-12);
}

// Of two categories the share of tables with these margins is Fisher's exact test by chi-square's order.
TEST(Homogeneity, OfFewCountsIsFishers) {
  const TwoSampleTest found = homogeneity(Counts{8, 2}, Counts{1, 5}, {.draws = 200'000});
  EXPECT_TRUE(found.exact);
  EXPECT_NEAR(found.p, 0.034965034965, .002);  // scipy.stats.fisher_exact
  EXPECT_EQ(homogeneity(Counts{3, 0}, Counts{9, 0}).p, 1);
  EXPECT_EQ(homogeneity(Counts{0, 0}, Counts{9, 4}).p, 1);
  EXPECT_EQ(homogeneity(Counts{1, 0}, Counts{0, 1}).p, 1);
  EXPECT_REFUSED(homogeneity(Counts{1}, Counts{1, 2}), "homogeneity: b: expected 1 categories, found 2");
}

double choose(double n, double k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

// Beyond the reach of draws p is a bound on the exact one, a few times larger.
TEST(Homogeneity, OfTablesThatNoDrawReachesIsABoundOnTheExactProbability) {
  const auto expect_bound = [](double exact, const Counts& a, const Counts& b) {
    const double p = homogeneity(a, b).p;
    EXPECT_GE(p, exact * (1 - 1e-9));
    EXPECT_LE(p, 300 * exact);
  };
  expect_bound(2 / choose(18, 9), {9, 0}, {0, 9});
  expect_bound(1 / choose(18, 8), {10, 0}, {0, 8});
  expect_bound(1 / choose(1000, 4), {996, 0}, {0, 4});
  // 60 values of two rows each, of which either side has 30 whole: every choice of 30 is as far
  Counts a(60, 0), b(60, 2);
  std::fill(a.begin(), a.begin() + 30, 2), std::fill(b.begin(), b.begin() + 30, 0);
  expect_bound(choose(60, 30) / choose(120, 60), a, b);
}

TEST(Homogeneity, HasTheSameBitsAtAnyThreads) {
  const auto p = [] { return homogeneity(Counts{8, 2, 1}, Counts{1, 5, 3}).p; };
  EXPECT_EQ(at_threads(1, p), at_threads(3, p));
}

TEST(TotalVariation, HasAnIntervalThatHoldsItAndNothing) {
  const Estimate same = total_variation(Counts{50, 50}, Counts{500, 500});
  EXPECT_EQ(same.value, 0);
  EXPECT_EQ(same.interval.low, 0);
  EXPECT_GT(same.interval.high, .05);
  const Estimate apart = total_variation(Counts{1000, 0}, Counts{0, 1000});
  EXPECT_EQ(apart.value, 1);
  EXPECT_GT(apart.interval.low, .9);
  EXPECT_EQ(apart.interval.high, 1);
  const Estimate one = total_variation(Counts{1, 0}, Counts{0, 1});
  EXPECT_EQ(one.interval.low, 0);
  EXPECT_EQ(total_variation(Counts{0}, Counts{3}).interval.high, 1);
}

TEST(MeanChange, OfConstantsHasAWidth) {
  const std::vector<double> ones(20, 1), one{.5};
  const Estimate same = mean_change(ones, ones, 0, 1), single = mean_change(one, one, 0, 1);
  EXPECT_EQ(same.value, 0);
  EXPECT_LT(same.interval.low, -.1);
  EXPECT_GT(same.interval.high, .1);
  EXPECT_LT(single.interval.low, -.4);
}

}  // namespace leeway::statistics_test
