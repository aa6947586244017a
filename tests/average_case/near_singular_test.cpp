// Correlations next to 1 or -1 against integrals made elsewhere (tests/reference/mvn_near_singular.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "leeway/average_case/detail/ordering.h"
#include "leeway/average_case/mvn_cdf.h"
#include "leeway/core/progress.h"
#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "tests/average_case/correlations.h"

namespace leeway::average_case::near_singular_test {

using Numbers = std::vector<double>;

const Json& reference() {
  static const Json cases =
      Json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/mvn_near_singular.json"));
  return cases;
}

Numbers matrix_of(const Json& one) {
  if (one.contains("equicorrelation")) return equicorrelated(one.at("d"), one.at("equicorrelation"));
  Numbers r;
  for (const Json& row : one.at("correlation"))
    for (const Json& x : row) r.push_back(x);
  return r;
}

MvnProbability pair(double a, double b, double rho) {
  return mvn_cdf(Numbers{a, b}, Numbers{1, rho, rho, 1});
}

TEST(NearSingular, APairNextToOneKeepsItsCertifiedError) {
  EXPECT_NEAR(pair(1, .999, 1 - 1e-9).probability, .8411026543586816, 1e-12);
  for (const Json& one : reference().at("pairs")) {
    const double exact = one.at("probability");
    const auto found = mvn_cdf(one.at("upper").get<Numbers>(), matrix_of(one));
    EXPECT_LE(std::abs(found.probability - exact), found.error + 1e-15 * exact + 1e-300) << one.dump();
    EXPECT_LE(found.error, 1e-9) << one.dump();
  }
}

// Correlations next to 1 that are quotients carry the rounding of the quotient.
TEST(NearSingular, VariancesOtherThanOneEnlargeTheError) {
  const double rho = 1 - 1e-12;
  const auto unit = pair(1, 1, rho), scaled = mvn_cdf(Numbers{2, 3}, Numbers{4, 6 * rho, 6 * rho, 9});
  EXPECT_NEAR(scaled.probability, unit.probability, scaled.error + unit.error);
  EXPECT_GT(scaled.error, unit.error);
}

// Division by deviations rounds the bounds of a strip 1e-9 wide.
TEST(NearSingular, StripsOfScaledOppositePairsKeepTheirCertifiedError) {
  for (double v = .3; v < 3; v += .17) {
    const double low = -1 + 1e-9, width = 1 + low, z = (1 - .5 * width) / std::sqrt(v);
    const double exact = width / std::sqrt(2 * std::numbers::pi * v) * std::exp(-.5 * z * z);
    const auto found = mvn_cdf(Numbers{1, low}, Numbers{v, -v, -v, v});
    EXPECT_NEAR(found.probability, exact, found.error + 1e-14 * exact) << v;
  }
}

// P(X <= 0, Y <= 0) = 1/4 + asin(rho) / 2 pi, down to the last correlation below 1.
TEST(NearSingular, OrthantsDownToTheLastCorrelation) {
  for (double distance = 1e-2; distance > 1e-16; distance *= .3)
    for (const double sign : {1., -1.}) {
      const double rho = sign * (1 - distance), rest = 1 - std::abs(rho);
      const double angle = std::asin(std::sqrt(rest * (2 - rest)));  // acos |rho|
      const double exact = sign > 0 ? .5 - angle / (2 * std::numbers::pi) : angle / (2 * std::numbers::pi);
      const auto found = pair(0, 0, rho);
      EXPECT_LE(std::abs(found.probability - exact), found.error + 1e-16) << rho;
      EXPECT_LE(found.error, 1e-8 * exact) << rho;
    }
}

TEST(NearSingular, OneFactorOfManyNearCopiesKeepsItsCertifiedError) {
  for (const Json& one : reference().at("one_factor")) {
    const double exact = one.at("probability");
    const auto found = mvn_cdf(one.at("upper").get<Numbers>(), matrix_of(one));
    EXPECT_LE(std::abs(found.probability - exact), found.error + 1e-13) << one.at("d") << ' ' << exact;
    EXPECT_LE(found.error, 1e-5) << one.at("d") << ' ' << exact;
  }
}

// Sampled: near copies beside other variables, strips between near opposites, sums of two others.
TEST(NearSingular, SampledProbabilitiesKeepTheirCertifiedError) {
  std::size_t outside = 0, count = 0;
  for (const char* const name : {"triples", "groups"})
    for (const Json& one : reference().at(name))
      for (const double tolerance : {1e-4, 1e-3}) {
        const double exact = one.at("probability");
        const auto found = mvn_cdf(one.at("upper").get<Numbers>(), matrix_of(one),
                                   {.tolerance = tolerance, .log_tolerance = 1, .max_points = 1 << 23});
        const double off = std::abs(found.probability - exact);
        EXPECT_LE(off, 3 * found.error + 1e-8) << one.dump();
        EXPECT_TRUE(found.converged) << one.dump();
        outside += off > found.error + 1e-9, ++count;
      }
  EXPECT_LE(static_cast<double>(outside), .01 * static_cast<double>(count)) << outside << " of " << count;
}

// p is a difference of two values of Phi that float32 rounds by .5% of it.
TEST(NearSingular, NarrowStripsKeepTheirRelativeError) {
  std::size_t count = 0;
  for (const Json& one : reference().at("triples")) {
    const double exact = one.at("probability");
    if (exact > 1e-3) continue;
    for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
      const auto found = mvn_cdf(one.at("upper").get<Numbers>(), matrix_of(one),
                                 {.log_tolerance = tolerance, .max_points = 1 << 22});
      EXPECT_NEAR(found.log_probability, std::log(exact), 2 * found.log_error + 1e-8) << one.dump();
      ++count;
    }
  }
  EXPECT_GE(count, 3u);
}

// Three unit vectors lie .01 from a plane, a fourth is normal to it. What the plane leaves of the third must not be drawn
// before the fourth one's limit: a million points would then err by 8e-5.
TEST(NearSingular, GradientsThatNearlyLieInAPlaneConverge) {
  const Numbers u = {1, 0, 0, -.13, .9915, 0, .31, .9507, .0086, .6, .003, -.8, .45, .86, .24};
  const auto found =
      mvn_cdf(Numbers{2, 2.1, 2.3, 2.2, 2.4}, correlations_of(u, 5), {.tolerance = 4e-5, .log_tolerance = 1});
  EXPECT_TRUE(found.converged) << found.error;
}

// Rows of U are gradients of differences: class `copy` nearly has the gradient and the margin of class 0.
struct Linear {
  Numbers upper, correlation;
};
Linear with_near_copy(std::uint64_t seed, std::size_t d, double distance) {
  Random random(seed, stream("near copy"));
  const std::size_t inputs = d + 4;
  Numbers u(d * inputs);
  for (double& x : u) x = random.normal();
  for (std::size_t k = 0; k < inputs; ++k) u[inputs + k] = u[k] + distance * u[inputs + k];
  Linear result{Numbers(d), correlations_of(std::move(u), d)};
  for (double& bound : result.upper) bound = std::abs(random.normal());
  result.upper[1] = result.upper[0] + (seed % 2 ? distance * random.normal() : 0);
  return result;
}

// Z_1 is at most Z_0 + e |y|, e the distance of their unit rows and y standard normal. All but 2e-19 of p has
// |y| <= |c| + 9.5, c the point of largest density, |c|^2 <= -2 log p. Hence p lies between that without Z_1
// and that without Z_1 and with the bound on Z_0 lowered by e (|c| + 9.5).
TEST(NearSingular, DeepTailsOfNearCopiesKeepTheirRelativeError) {
  int converged = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const double bound : {-3., -8., -25.}) {
      const std::size_t d = 3 + seed % 4;
      Linear one = with_near_copy(seed, d, 1e-6);
      one.upper.assign(d, bound);
      Numbers upper, r;
      for (std::size_t i = 0; i < d; ++i) {
        if (i == 1) continue;
        upper.push_back(bound);
        for (std::size_t j = 0; j < d; ++j)
          if (j != 1) r.push_back(one.correlation[i * d + j]);
      }
      const auto found = mvn_cdf(one.upper, one.correlation), without = mvn_cdf(upper, r);
      const double distance = std::sqrt(2 * (1 - one.correlation[1]));
      upper[0] -= distance * (std::sqrt(-2 * without.log_probability) + 9.5);
      const auto lowered = mvn_cdf(upper, r);
      converged += found.converged;
      EXPECT_LE(found.log_probability, without.log_probability + found.log_error + without.log_error)
          << seed << ' ' << bound;
      EXPECT_GE(found.log_probability, lowered.log_probability - found.log_error - lowered.log_error)
          << seed << ' ' << bound;
    }
  EXPECT_GE(converged, 34) << "of 36";
}

class StopAfter : public Progress {
 public:
  explicit StopAfter(int questions) : left_(questions) {}
  void update(std::string_view, std::size_t, std::size_t, std::string_view) override {}
  [[nodiscard]] bool stop_requested() const override { return left_.fetch_sub(1) <= 0; }

 private:
  mutable std::atomic<int> left_;
};

// A strip that is far from where it would have mass: some 1e13 of log p, and a handful of evaluations.
TEST(NearSingular, ADistantStripIsAnsweredAtOnce) {
  const auto found = pair(-3, -3.001, -(1 - 1e-12));
  EXPECT_EQ(found.probability, 0);
  EXPECT_NEAR(found.log_probability / -9.0032e12, 1, 1e-3);
}

TEST(NearSingular, LongProblemsHearTheUser) {
  const std::size_t d = 60;
  const Linear hard = with_near_copy(1, d, 1e-3);
  StopAfter soon(3);
  EXPECT_THROW(
      (void)mvn_cdf(hard.upper, hard.correlation, {.tolerance = 1e-9, .max_points = 1 << 24, .stop = &soon}),
      Interrupted);
  StopAfter one(2);  // within the first point of a batch
  EXPECT_THROW((void)mvn_cdf_batch(hard.upper, d, hard.correlation, {.tolerance = 1e-9}, &one), Interrupted);
  StopAfter factor(2);  // within one integral
  EXPECT_THROW((void)mvn_cdf(Numbers(100, 1), equicorrelated(100, .9999), {.stop = &factor}), Interrupted);
}

// Near copies are drawn first and without a limit; their constraints stand with their original's.
TEST(NearSingular, NearCopiesLimitTheirOriginal) {
  const Linear one = with_near_copy(3, 6, 1e-3);
  const Problem problem{one.upper, one.correlation};
  const Triangle triangle = triangle_of(problem);
  ASSERT_EQ(triangle.rank, 6);
  EXPECT_EQ(std::ranges::count(triangle.copy, true), 1);
  const Integrand integrand = integrand_of(problem, triangle);
  ASSERT_EQ(integrand.rows.size(), 7);
  EXPECT_EQ(integrand.rows[0].variable, 0);
  EXPECT_GT(integrand.limits[0], 1e5);
  EXPECT_GT(integrand.smallest_attached, .5);
  EXPECT_GT(integrand.smallest_scale, .1);
}

}  // namespace leeway::average_case::near_singular_test
