// Tests of two samples: SciPy's values, all orders counted, and what small and equal samples give.
#include "leeway/core/two_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/random.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"

namespace leeway {
namespace {

using Counts = std::vector<std::size_t>;

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
  EXPECT_EQ(message_of([] { (void)kolmogorov_smirnov({}, {1}); }),
            "kolmogorov_smirnov: expected two samples, found an empty one");
  EXPECT_EQ(message_of([] { (void)kolmogorov_smirnov({NAN}, {1}); }),
            "kolmogorov_smirnov: expected numbers, found NaN");
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
  EXPECT_EQ(message_of([] {
              (void)homogeneity(Counts{1}, Counts{1, 2});
            }),
            "homogeneity: b: expected 1 categories, found 2");
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
  const Distance same = total_variation(Counts{50, 50}, Counts{500, 500});
  EXPECT_EQ(same.value, 0);
  EXPECT_EQ(same.interval.low, 0);
  EXPECT_GT(same.interval.high, .05);
  const Distance apart = total_variation(Counts{1000, 0}, Counts{0, 1000});
  EXPECT_EQ(apart.value, 1);
  EXPECT_GT(apart.interval.low, .9);
  EXPECT_EQ(apart.interval.high, 1);
  const Distance one = total_variation(Counts{1, 0}, Counts{0, 1});
  EXPECT_EQ(one.interval.low, 0);
  EXPECT_EQ(total_variation(Counts{0}, Counts{3}).interval.high, 1);
}

TEST(MeanChange, OfConstantsHasAWidth) {
  const std::vector<double> ones(20, 1), one{.5};
  const Distance same = mean_change(ones, ones, 0, 1), single = mean_change(one, one, 0, 1);
  EXPECT_EQ(same.value, 0);
  EXPECT_LT(same.interval.low, -.1);
  EXPECT_GT(same.interval.high, .1);
  EXPECT_LT(single.interval.low, -.4);
}

}  // namespace
}  // namespace leeway
