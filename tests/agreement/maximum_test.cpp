// The certified maximum against brute force, on every family of inputs in cases.h.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <ostream>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/core/error.h"
#include "tests/agreement/brute_force.h"
#include "tests/agreement/cases.h"
#include "tests/case_name.h"

namespace leeway::agreement {

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;

Agreement solve(const Pair& pair, const Options& options = {}) {
  return posterior_agreement(clean_array(pair), shifted_array(pair), {}, options);
}

class MaximumTest : public ::testing::TestWithParam<Case> {};

TEST_P(MaximumTest, IsTheGlobalOneAndCertified) {
  const Pair pair = GetParam().make();
  const brute::Objective objective(pair);
  const brute::Maximum best = objective.maxima().front();
  const double limit = objective(infinity), log_k = std::log(static_cast<double>(pair.k));

  const Agreement found = solve(pair);
  SCOPED_TRACE(::testing::Message() << "brute force: " << best.value << " at " << best.beta << ", limit "
                                    << limit << "; found " << found.value << " at " << found.beta << ", gap "
                                    << found.gap);
  EXPECT_TRUE(found.converged);
  EXPECT_GE(found.gap, 0);
  EXPECT_LE(found.gap, 1e-9);
  EXPECT_NEAR(found.value, best.value, 1e-9);
  EXPECT_LE(best.value, found.value + found.gap + rounding);
  EXPECT_NEAR(objective(found.beta), found.value, rounding) << "the value is that of another beta";
  if (limit >= best.value - rounding) {
    EXPECT_EQ(found.beta, infinity);
  } else if (limit < best.value - 2e-9) {
    EXPECT_LT(found.beta, infinity);
  }
  EXPECT_LE(found.evaluations, GetParam().ordinary ? 40 : 150);

  EXPECT_EQ(found.n, pair.n);
  EXPECT_EQ(found.k, pair.k);
  EXPECT_NEAR(found.pa, log_k + found.value, rounding);
  EXPECT_GE(found.pa, 0);
  EXPECT_LE(found.pa, log_k);
  EXPECT_DOUBLE_EQ(found.pa_normalized, found.pa / log_k);
  EXPECT_DOUBLE_EQ(found.log_pa_sum, static_cast<double>(pair.n) * found.value);
}

// Those of tier 2 take brute force long: 1000 classes, 100 classes and as many rows, and scales between the extreme ones.
std::vector<Case> cases_of_size(bool large) {
  std::vector<Case> chosen = cases();
  std::erase_if(chosen, [&](const Case& c) {
    return large !=
           std::ranges::any_of(std::array{"k1000", "k100_n1", "scaled_1e1", "scaled_1e2", "scaled_1eminus1"},
                               [&](const char* part) { return c.name.find(part) != c.name.npos; });
  });
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(BruteForce, MaximumTest, ::testing::ValuesIn(cases_of_size(false)), case_name);
INSTANTIATE_TEST_SUITE_P(BruteForceTier2, MaximumTest, ::testing::ValuesIn(cases_of_size(true)), case_name);

// F' = (2,0), F'' = (1,0) twice and F' = (1,0), F'' = (0,1) once. With y = e^-beta the rows are
//   (1 + y^3) / ((1 + y^2)(1 + y)) = (1 - y + y^2) / (1 + y^2)   and   2 y / (1 + y)^2,
// and the derivative of 2 log(first) + log(second) vanishes where 2 (y^2 - 1) / ((1 + y^2)(1 - y + y^2)) =
// -(1 - y) / (y (1 + y)), that is 2 y (1 + y)^2 = (1 + y^2)(1 - y + y^2): y^4 - 3 y^3 - 2 y^2 - 3 y + 1 = 0.
// Divided by y^2 and with z = y + 1/y: z^2 - 3 z - 4 = 0, z = 4, y = 2 - sqrt 3. There the rows are 3/4 and
// 1/3.
TEST(Maximum, InteriorByHand) {
  const Pair pair{3, 2, {2, 0, 2, 0, 1, 0}, {1, 0, 1, 0, 0, 1}};
  const Agreement found = solve(pair);
  EXPECT_NEAR(found.beta, std::log(2 + std::sqrt(3)), 1e-6);
  EXPECT_NEAR(found.value, (2 * std::log(.75) + std::log(1. / 3)) / 3, 1e-10);
}

TEST(Maximum, ReportsBothMaximaOfTheExactExample) {
  Options options;
  options.curve_points = 60;
  const Agreement found = solve(two_maxima(), options);
  EXPECT_NEAR(found.beta, 11.62, .01);
  EXPECT_NEAR(found.value, -.3239, 1e-4);
  const auto near = [](double beta, double value) {
    return ::testing::AllOf(::testing::Field(&CurvePoint::beta, ::testing::DoubleNear(beta, .01)),
                            ::testing::Field(&CurvePoint::value, ::testing::DoubleNear(value, 1e-3)));
  };
  EXPECT_THAT(found.local_maxima, ::testing::ElementsAre(near(.18, -.516), near(11.62, -.3239)));
}

TEST(Maximum, CurveIsSortedAndTrue) {
  Options options;
  options.curve_points = 33;
  const Pair pair = gaussian(60, 4, .9, 71);
  const brute::Objective objective(pair);
  const Agreement found = solve(pair, options);
  ASSERT_GE(found.curve.size(), options.curve_points);
  for (std::size_t i = 0; i < found.curve.size(); ++i) {
    const auto [beta, value] = found.curve[i];
    if (i > 0) {
      EXPECT_GT(beta, found.curve[i - 1].beta);
    }
    EXPECT_NEAR(value, objective(beta), rounding) << "beta " << beta;
    EXPECT_LE(value, found.value + found.gap);
  }
  EXPECT_LT(found.curve.front().beta, found.beta / 10);
  EXPECT_GT(found.curve.back().beta, found.beta * 3);
  ASSERT_EQ(found.local_maxima.size(), 1);
  EXPECT_NEAR(found.local_maxima[0].value, found.value, rounding);
}

// A gap that cannot be reached in so few evaluations is admitted, and what is claimed still holds.
TEST(Maximum, SaysWhenItDidNotConverge) {
  Options options;
  options.max_evaluations = 3;
  const Pair pair = scale_mixture(512);
  const Agreement found = solve(pair, options);
  EXPECT_FALSE(found.converged);
  EXPECT_GT(found.gap, options.gap);
  EXPECT_LE(found.evaluations, 3);
  EXPECT_LE(brute::Objective(pair).maxima().front().value, found.value + found.gap + rounding);
}

TEST(Maximum, CoarserGapsAreHonoured) {
  for (const double gap : {1e-2, 1e-5}) {
    Options options;
    options.gap = gap;
    for (const std::uint64_t seed : {7, 1014}) {
      const Pair pair = scale_mixture(seed);
      const Agreement found = solve(pair, options);
      EXPECT_TRUE(found.converged);
      EXPECT_LE(found.gap, gap);
      EXPECT_LE(brute::Objective(pair).maxima().front().value, found.value + found.gap + rounding) << seed;
    }
  }
}

// Mixtures of scales that no one picked, and small sets with ties.
void expect_global_maximum(const Pair& pair) {
  const Agreement found = solve(pair);
  const brute::Maximum best = brute::Objective(pair).maxima().front();
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.value, best.value, 1e-9);
  EXPECT_LE(best.value, found.value + found.gap + rounding);
}

void expect_global_maxima(std::uint64_t small, std::uint64_t mixtures) {
  for (std::uint64_t seed = 1; seed <= std::max(small, mixtures); ++seed) {
    SCOPED_TRACE(seed);
    if (seed <= small) expect_global_maximum(small_integers(seed));
    if (seed <= mixtures) expect_global_maximum(scale_mixture(20000 + seed));
  }
}

TEST(Maximum, OfRandomSets) { expect_global_maxima(100, 5); }
TEST(MaximumTier2, OfRandomSets) { expect_global_maxima(400, 120); }

// Mean over rows of log sum_c p(c|X') p(c|X'') / p(c): equation 12 as it stands.
double kernel_of_prior(const Pair& pair, const std::vector<double>& prior, double beta) {
  double total = 0;
  for (std::size_t i = 0; i < pair.n; ++i) {
    const auto posterior = [&](const std::vector<double>& logits) {
      const double* const row = logits.data() + i * pair.k;
      const double top = *std::max_element(row, row + pair.k);
      std::vector<double> p;
      for (std::size_t c = 0; c < pair.k; ++c)
        p.push_back(std::isinf(beta) ? row[c] == top : std::exp(beta * (row[c] - top)));
      const double sum = std::accumulate(p.begin(), p.end(), 0.);
      for (double& value : p) value /= sum;
      return p;
    };
    const std::vector<double> clean = posterior(pair.clean), shifted = posterior(pair.shifted);
    double kernel = 0;
    for (std::size_t c = 0; c < pair.k; ++c) kernel += clean[c] * shifted[c] / prior[c];
    total += std::log(kernel) / static_cast<double>(pair.n);
  }
  return total;
}

// On a grid of beta, refined twice, and at both ends.
double largest_kernel(const Pair& pair, const std::vector<double>& prior) {
  double best = std::max(kernel_of_prior(pair, prior, 0), kernel_of_prior(pair, prior, infinity));
  double where = 0, width = 12;
  for (int pass = 0; pass < 4; ++pass) {
    const double middle = where;
    for (double t = -width; t <= width; t += width / 150) {
      const double value = kernel_of_prior(pair, prior, std::exp(middle + t));
      if (value > best) best = value, where = middle + t;
    }
    width /= 60;
  }
  return best;
}

TEST(Maximum, WithAPriorIsThatOfTheKernelByBruteForce) {
  const std::vector<double> priors[] = {{.5, .3, .2}, {.9, .09, .01}, {.05, .05, .9}};
  for (const Pair& pair :
       {gaussian(40, 3, .5, 11), gaussian(30, 3, 2, 12), gaussian(1, 3, 1, 13),
        Pair{2, 3, {1, 1, 0, 0, 2, 2}, {1, 1, 0, 0, 2, 2}}, Pair{1, 3, {1, 1, 1}, {0, 0, 0}},
        Pair{2, 3, {3, 0, 1, 0, 1, 2}, {2, 0, 1, 0, 0, 9}}})
    for (const std::vector<double>& prior : priors) {
      Options options;
      options.prior = prior;
      const Agreement found = solve(pair, options);
      EXPECT_TRUE(found.converged);
      EXPECT_LE(found.gap, 1e-9);
      const double best = largest_kernel(pair, prior), most = -std::log(std::ranges::min(prior));
      EXPECT_NEAR(found.pa, best, 2e-9) << pair.n << " rows, first " << prior[0];
      EXPECT_NEAR(kernel_of_prior(pair, prior, found.beta), found.pa, 1e-11);
      EXPECT_EQ(found.pa_most, most);
      EXPECT_LE(found.pa_interval.low, found.pa);
      EXPECT_GE(found.pa_interval.high, found.pa);
    }
}

TEST(Maximum, WithAUniformPriorIsThatWithout) {
  const Pair pair = gaussian(600, 4, .7, 3);
  Options options;
  options.prior = {.25, .25, .25, .25};
  const Agreement found = solve(pair, options), plain = solve(pair);
  EXPECT_NEAR(found.pa, plain.pa, rounding);
  EXPECT_NEAR(found.beta, plain.beta, 1e-6 * plain.beta);
  EXPECT_NEAR(found.pa_interval.low, plain.pa_interval.low, 1e-9);
  for (const std::vector<double>& bad :
       {std::vector{.5, .5}, {.5, .5, .5, -.5}, {.5, .5, 0., 0.}, {.2, .2, .2, .2}}) {
    options.prior = bad;
    EXPECT_THROW((void)solve(pair, options), Error);
  }
}

// A row of equal logits agrees with anything by log(1/k) at every beta: it adds nothing to be searched for.
TEST(Maximum, ConstantRowsCostNothing) {
  const Agreement some = solve({2, 2, {1, -1, -.5, -.5}, {1, -1.5, -.5, 0}});
  EXPECT_TRUE(some.converged);
  EXPECT_EQ(some.beta, infinity);
  EXPECT_NEAR(some.value, -.5 * std::numbers::ln2, 1e-12);
  EXPECT_LE(some.evaluations, 40);
  const Agreement all = solve({2, 2, {1, 1, -1, -1}, {0, 1, -1, -1.5}});
  EXPECT_TRUE(all.converged);
  EXPECT_NEAR(all.value, -std::numbers::ln2, 1e-12);
  EXPECT_LE(all.evaluations, 40);
}

// Subnormal logits too: the objective has no scale of its own. Some betas are then beyond float64.
TEST(Maximum, OfLogitsNearTheSmallestNumbers) {
  const Pair pair = gaussian(40, 3, .5, 11);
  const Agreement found = solve(pair);
  for (const int exponent : {-90, -130, -400, -900, -1000}) {
    const Pair tiny = scaled(pair, std::ldexp(1, exponent));
    const Agreement same = solve(tiny);
    EXPECT_TRUE(same.converged);
    EXPECT_NEAR(same.value, found.value, 1e-9) << exponent;
    EXPECT_NEAR(std::scalbn(same.beta, exponent), found.beta, 1e-6 * found.beta) << exponent;
  }
  const Pair least = {1, 2, {0, 0x1p-1074}, {0x1p-1070, 0}};
  EXPECT_EQ(solve(least).pa, 0);
  const Pair sure = {1, 2, {0, 0x1p-1074}, {5, 5}};
  EXPECT_TRUE(solve(sure).converged);
}

}  // namespace
}  // namespace leeway::agreement
