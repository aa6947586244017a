#include "leeway/average_case/mvn_cdf.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "tests/at_threads.h"
#include "tests/average_case/correlations.h"
#include "tests/message_of.h"

namespace leeway::average_case::mvn_cdf_test {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

double phi(double z) { return .5 * std::erfc(-z / std::numbers::sqrt2); }

// Correlations of differences of gradients, k classes and `inputs` inputs: singular where inputs < k - 1.
struct Classifier {
  Numbers upper, covariance;
};
Classifier classifier(std::size_t k, std::size_t inputs, std::uint64_t seed, double scale = 1.5) {
  Random random(seed, stream("classifier"));
  const std::size_t d = k - 1;
  Numbers jacobian(k * inputs), u(d * inputs);
  for (double& x : jacobian) x = random.normal();
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < inputs; ++j) u[i * inputs + j] = jacobian[j] - jacobian[(i + 1) * inputs + j];
  Classifier c{Numbers(d), correlations_of(std::move(u), d)};
  for (double& bound : c.upper) bound = scale * std::abs(random.normal());
  return c;
}

TEST(MvnCdf, OneVariableIsErfc) {
  const Numbers one = {4};
  for (const double b : {-30., -2., 0., 1., 14.}) {
    const auto found = mvn_cdf(Numbers{b}, one);
    EXPECT_NEAR(found.probability, phi(b / 2), found.error + 1e-15);  // the bound of 14 counts as none
    EXPECT_EQ(found.points, 0);
    EXPECT_TRUE(found.converged);
  }
  EXPECT_NEAR(mvn_cdf(Numbers{-2e3}, one).log_probability,
              -.5e6 - std::log(1e3 * std::sqrt(2 * std::numbers::pi)), 1e-5);
}

// Of two variables in near_singular_test.cpp; three add the other two angles.
TEST(MvnCdf, OrthantsHaveClosedForms) {
  const Numbers r = {1, .5, -.3, .5, 1, .2, -.3, .2, 1};
  const auto three = mvn_cdf(Numbers{0, 0, 0}, r, {.tolerance = 1e-5});
  EXPECT_NEAR(three.probability,
              .125 + (std::asin(.5) + std::asin(-.3) + std::asin(.2)) / (4 * std::numbers::pi),
              three.error + 1e-12);
}

TEST(MvnCdf, IndependentGroupsMultiply) {
  const Numbers upper = {.3, -1, 2, .7};
  Numbers r(16, 0.);
  for (std::size_t i = 0; i < 4; ++i) r[i * 5] = 1;
  double product = 1;
  for (const double b : upper) product *= phi(b);
  EXPECT_NEAR(mvn_cdf(upper, r).probability, product, 1e-14);
  r[0 * 4 + 3] = r[3 * 4 + 0] = .6;
  const double pair = mvn_cdf(Numbers{.3, .7}, Numbers{1, .6, .6, 1}).probability;
  EXPECT_NEAR(mvn_cdf(upper, r).probability, pair * phi(-1) * phi(2), 1e-13);
}

TEST(MvnCdf, ValuesOfOtherPrograms) {
  std::ifstream file(std::string(LEEWAY_REFERENCE) + "/mvn_cdf.json");
  const Json cases = Json::parse(file).at("cases");
  for (const Json& one : cases) {
    Numbers r;
    for (const Json& row : one.at("correlation"))
      for (const Json& x : row) r.push_back(x);
    const auto found = mvn_cdf(one.at("upper").get<Numbers>(), r, {.tolerance = 1e-5, .log_tolerance = 1e-3});
    EXPECT_TRUE(found.converged);
    const double accuracy = one.at("accuracy");
    EXPECT_NEAR(found.probability, one.at("probability"), 1.5 * found.error + accuracy) << one.dump();
  }
}

// Against a run with a hundredth of the tolerance; more than 1 in 100 outside is a bound that lies.
TEST(MvnCdfTier2, ErrorBoundsHold) {
  std::size_t outside = 0, count = 0;
  const auto cover = [&](const Numbers& upper, const Numbers& r, std::uint64_t samples, double tolerance) {
    const auto exact = mvn_cdf(upper, r, {.tolerance = tolerance / 20, .log_tolerance = 1e-3, .seed = 77});
    for (std::uint64_t s = 0; s < samples; ++s) {
      const auto found = mvn_cdf(upper, r, {.tolerance = tolerance, .sample = s});
      const bool bad = std::abs(found.probability - exact.probability) > found.error + exact.error;
      outside += bad, ++count;
    }
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Classifier c = classifier(10, seed % 3 == 0 ? 15 : 200, seed);
    cover(c.upper, c.covariance, 25, seed % 2 ? 1e-3 : 3e-4);
  }
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Classifier c = classifier(10, 5, seed);  // singular
    cover(c.upper, c.covariance, 20, 1e-3);
  }
  RecordProperty("outside", std::to_string(outside) + " of " + std::to_string(count));
  EXPECT_LE(static_cast<double>(outside), .01 * static_cast<double>(count)) << outside << " of " << count;
}

// rho = 1/2, bounds b: the quadrature of one factor says what sampling must say of a matrix next to it.
TEST(MvnCdf, SampledProbabilitiesKeepTheirRelativeErrorInTailsToo) {
  for (const auto& [d, b] : {std::pair(9u, -4.), {9u, -9.}, {9u, -30.}, {9u, -120.}, {30u, 0.}, {30u, -3.}}) {
    Numbers r = equicorrelated(d, .5);
    const auto exact = mvn_cdf(Numbers(d, b), r);
    r[1] = r[d] += 1e-9;
    const auto sampled = mvn_cdf(Numbers(d, b), r);
    EXPECT_GT(sampled.points, 0);
    EXPECT_TRUE(sampled.converged);
    EXPECT_LE(sampled.log_error, .01);
    EXPECT_NEAR(sampled.log_probability, exact.log_probability, .01) << d << ' ' << b;
  }
}

TEST(MvnCdf, SingularConstraints) {
  // Z2 = -Z1: an interval. Z3 = (Z1 + Z2) / sqrt 2 of independent ones, its bound out of reach or half way.
  EXPECT_NEAR(mvn_cdf(Numbers{1, .5}, Numbers{1, -1, -1, 1}).probability, phi(1) - phi(-.5), 1e-12);
  EXPECT_EQ(mvn_cdf(Numbers{-1, .5}, Numbers{1, -1, -1, 1}).probability, 0);
  const double h = std::numbers::sqrt2 / 2;
  const Numbers r = {1, 0, h, 0, 1, h, h, h, 1};
  EXPECT_NEAR(mvn_cdf(Numbers{0, 0, 5}, r).probability, .25, 1e-6);
  const auto half = mvn_cdf(Numbers{infinity, 0, 0}, r);  // an angle of 3 pi / 4 of the plane
  EXPECT_NEAR(half.probability, .375, 1e-10);
}

// Of rank 3 but for rounding, which keeps every section from its tolerance; no point is within the bounds.
TEST(MvnCdf, RoundingDoesNotKeepQuadratureFromItsEnd) {
  const Numbers upper = {1.2611636388952689, 1.4463503605442765, -2.4364056576740913, -1.2611510371276646};
  const Numbers lower_triangle = {
      1.0000000045767146, .99998237192994166,  1.0000000141126286,  -.99998258054256439, -.99999979138374329,
      1.0000000000104559, -.99999999414792651, -.99998205900562187, .99998226761817932,  .99999998634529597};
  Numbers covariance(16);
  for (std::size_t i = 0, next = 0; i < 4; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      covariance[i * 4 + j] = covariance[j * 4 + i] = lower_triangle[next++];
  const auto found = mvn_cdf(upper, covariance);
  EXPECT_LE(found.probability, found.error);
}

TEST(MvnCdf, ConstraintsWithoutEffect) {
  const Classifier c = classifier(6, 30, 9);
  const auto plain = mvn_cdf(c.upper, c.covariance);
  Numbers upper = c.upper, wide(7 * 7, 0.);
  upper.push_back(infinity), upper.push_back(0);  // variance 0 with a bound of 0: always met
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) wide[i * 7 + j] = c.covariance[i * 5 + j];
  wide[5 * 7 + 5] = 1;
  const auto found = mvn_cdf(upper, wide);
  EXPECT_EQ(found.probability, plain.probability);
  upper[6] = -1e-9;
  EXPECT_EQ(mvn_cdf(upper, wide).probability, 0);
  EXPECT_EQ(mvn_cdf(upper, wide).log_probability, -infinity);
  upper[6] = 0, upper[0] = -infinity;
  EXPECT_EQ(mvn_cdf(upper, wide).probability, 0);
  EXPECT_EQ(mvn_cdf(Numbers(5, infinity), c.covariance).probability, 1);
  upper = Numbers(5, 39);
  const auto one = mvn_cdf(upper, c.covariance);
  EXPECT_NEAR(one.probability, 1, 1e-12);
  EXPECT_TRUE(one.converged);
}

// -60 and 40 under a correlation of -.99: the bound of 40 decides, although 40 alone would never bind.
TEST(MvnCdf, LargeBoundsMayDecideInTheTail) {
  const Numbers r = {1, -.99, -.99, 1};
  EXPECT_LT(mvn_cdf(Numbers{-60, 40}, r).log_probability,
            mvn_cdf(Numbers{-60, infinity}, r).log_probability - 100);
}

TEST(MvnCdf, OrderAndScaleAndDuplicatesChangeNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::size_t k = 3 + seed % 9, d = k - 1, inputs = 2 + 5 * seed % 28;
    const Classifier c = classifier(k, inputs, seed);
    const auto first = mvn_cdf(c.upper, c.covariance, {.tolerance = 1e-3});
    std::vector<std::size_t> order(d);
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, seed, stream("order"));
    order.push_back(order.front());  // twice
    const std::size_t n = order.size();
    Numbers upper(n), r(n * n);
    const auto scale = [&](std::size_t i) { return 1 + static_cast<double>(order[i]); };
    for (std::size_t i = 0; i < n; ++i) {
      upper[i] = c.upper[order[i]] * scale(i);
      for (std::size_t j = 0; j < n; ++j)
        r[i * n + j] = c.covariance[order[i] * d + order[j]] * scale(i) * scale(j);
    }
    const auto second = mvn_cdf(upper, r, {.tolerance = 1e-3});
    EXPECT_NEAR(first.probability, second.probability, 1.5 * (first.error + second.error) + 1e-9);
  }
}

TEST(MvnCdf, BatchesHaveTheBitsOfSinglePointsAtAnyThreads) {
  constexpr std::size_t m = 20, d = 9;
  Numbers upper, r;
  for (std::size_t i = 0; i < m; ++i) {
    const Classifier c = classifier(d + 1, 40, i);
    upper.insert(upper.end(), c.upper.begin(), c.upper.end());
    r.insert(r.end(), c.covariance.begin(), c.covariance.end());
  }
  const auto at = [&](int count) { return at_threads(count, [&] { return mvn_cdf_batch(upper, d, r); }); };
  const auto one = at(1), two = at(2), seven = at(7);
  for (std::size_t i = 0; i < m; ++i) {
    EXPECT_EQ(one[i].probability, two[i].probability);
    EXPECT_EQ(one[i].probability, seven[i].probability);
    const auto single =
        mvn_cdf(std::span(upper).subspan(i * d, d), std::span(r).subspan(i * d * d, d * d), {.sample = i});
    EXPECT_EQ(one[i].probability, single.probability);
  }
  const auto shared = mvn_cdf_batch(upper, d, std::span(r).first(d * d));
  EXPECT_EQ(shared[0].probability, one[0].probability);
  EXPECT_EQ(shared.size(), m);
  const auto other = mvn_cdf(std::span(upper).first(d), std::span(r).first(d * d), {.seed = 5});
  EXPECT_NE(other.probability, one[0].probability);
}

TEST(MvnCdf, LargeProblemsHaveTheSameBitsAtAnyThreads) {
  const Classifier c = classifier(200, 400, 1, 4);
  const auto at = [&](int count) {
    return at_threads(count, [&] { return mvn_cdf(c.upper, c.covariance, {.tolerance = 1e-3}); });
  };
  const auto one = at(1), two = at(2), seven = at(7);
  EXPECT_EQ(one.log_probability, two.log_probability);
  EXPECT_EQ(one.log_probability, seven.log_probability);
  EXPECT_TRUE(one.converged);
}

TEST(MvnCdf, StopsAtTheCapAndSaysSo) {
  const Classifier c = classifier(30, 40, 2);
  const auto found = mvn_cdf(c.upper, c.covariance, {.tolerance = 1e-8, .max_points = 4096});
  EXPECT_FALSE(found.converged);
  EXPECT_GT(found.error, 1e-8);
  EXPECT_LE(found.points, 4096 + 256);
}

TEST(MvnCdf, BadInputIsOneClearLine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto message = [](const Numbers& upper, const Numbers& r, const MvnOptions& options = {}) {
    return message_of([&] { (void)mvn_cdf(upper, r, options); });
  };
  EXPECT_EQ(message({0, nan}, {1, 0, 0, 1}), "mvn_cdf: upper: expected numbers, given nan at 1");
  EXPECT_THAT(message({0, 0}, {1, 0, .5, 1}), HasSubstr("matrix, given 0.5 at (1, 0) and 0 at (0, 1)"));
  EXPECT_THAT(message({0, 0}, {1, nan, nan, 1}), HasSubstr("expected finite numbers, given nan at (1, 0)"));
  EXPECT_THAT(message({0, 0}, {1, 0, 0, -1}), HasSubstr("variances of at least 0, given -1 at (1, 1)"));
  EXPECT_THAT(message({0, 0}, {1, 2, 2, 1}), HasSubstr("positive semi-definite matrix, given 2 at (1, 0)"));
  EXPECT_THAT(message({0, 0, 0}, {1, .9, -.9, .9, 1, .9, -.9, .9, 1}),
              HasSubstr("expected a positive semi-definite matrix"));
  EXPECT_THAT(message({0, 0, infinity}, {1, .9, -.9, .9, 1, .9, -.9, .9, 1}),
              HasSubstr("positive semi-definite"));
  EXPECT_THAT(message({0, 0, 0}, {1, 1, .9, 1, 1, .1, .9, .1, 1}), HasSubstr("positive semi-definite"));
  EXPECT_THAT(message({0, 0}, {0, .1, .1, 1}), HasSubstr("positive semi-definite"));
  EXPECT_EQ(message({0, 0}, {1, 0, 0}), "mvn_cdf: covariance: expected 4 numbers for 2 bounds, given 3");
  EXPECT_THAT(message({}, {}), HasSubstr("expected 1 to 1000 dimensions, given 0"));
  EXPECT_THAT(message({0}, {1}, {.tolerance = 0}), HasSubstr("expected a positive number, given 0"));
  EXPECT_THAT(message({0}, {1}, {.max_points = 7}), HasSubstr("max_points: expected 1024 to"));
  const Numbers upper = {0, 0, 0, nan}, r = {1, 0, 0, 1};
  EXPECT_REFUSED(mvn_cdf_batch(upper, 2, r), "mvn_cdf: upper: expected numbers, given nan at 1 (point 1)");
}

}  // namespace leeway::average_case::mvn_cdf_test
