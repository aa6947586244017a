#include "leeway/error_bound/detail/concentration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/random.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {
namespace {

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

}  // namespace
}  // namespace leeway::error_bound
