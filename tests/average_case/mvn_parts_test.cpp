// What the multivariate normal distribution function is made of: vectorised functions, orders, tilts.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "leeway/average_case/detail/integrand.h"
#include "leeway/average_case/detail/kernel.h"
#include "leeway/average_case/detail/normal-inl.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/average_case/detail/one_factor.h"
#include "leeway/average_case/detail/ordering.h"
#include "leeway/average_case/detail/tilting.h"
#include "leeway/core/random.h"
#include "tests/average_case/correlations.h"

namespace leeway::average_case {
namespace {

TEST(Normal, LogCdfAndHazardInDeepTails) {
  for (const double z : {-30., -5., -1., -1e-9, 0., .5, 3.})
    EXPECT_NEAR(log_cdf(z) / std::log(.5 * std::erfc(-z / std::numbers::sqrt2)), 1, 1e-12) << z;
  EXPECT_NEAR(log_cdf(-100), -.5 * 1e4 - std::log(100 * std::sqrt(2 * std::numbers::pi)) - 1e-4, 1e-7);
  EXPECT_NEAR(hazard(-1000), 1000.001, 1e-6);  // a + 1/a - ...
  EXPECT_NEAR(hazard(0), std::sqrt(2 / std::numbers::pi), 1e-12);
  EXPECT_EQ(hazard(40), 0);
}

// The vector functions, which are the same code for every instruction set, on one number.
namespace lanes = HWY_NAMESPACE;
float cdf_f32(float z) { return lanes::hn::GetLane(lanes::cdf(lanes::hn::Set(lanes::DF(), z))); }
float quantile_f32(float z, float u) {
  const lanes::DF d;
  return lanes::hn::GetLane(
      lanes::quantile(lanes::hn::Mul(lanes::cdf(lanes::hn::Set(d, z)), lanes::hn::Set(d, u))));
}
double log_cdf_f64(double z) {
  return lanes::hn::GetLane(lanes::log_cdf(lanes::hn::Set(lanes::DD(), z)).log);
}
double quantile_f64(double z, double u) {
  const lanes::DD d;
  return lanes::hn::GetLane(
      lanes::truncated_quantile(lanes::log_cdf(lanes::hn::Set(d, z)), lanes::hn::Set(d, u)));
}

TEST(Kernel, VectorisedCdf) {
  for (float z = -12; z < 7; z += .01F) {
    const double exact = .5 * std::erfc(-z / std::numbers::sqrt2);
    EXPECT_NEAR(cdf_f32(z) / exact, 1, 6e-7 * (1 + .1 * z * z)) << z;  // the square is rounded too
  }
  for (const double z : {-1e3, -37.7, -5., -1., 0., 2., 9.})
    EXPECT_NEAR(log_cdf_f64(z), log_cdf(z), 1e-13 * (1 + std::abs(log_cdf(z)))) << z;
}

TEST(Kernel, TruncatedQuantileIsTheInverse) {
  for (const double z : {-100., -40., -8., -3., -.5, 0., 1., 4., 8.})
    for (double u = 1e-9; u < 1; u += .0101) {
      const double y = quantile_f64(z, u), expected = std::log(u) + log_cdf(z);
      EXPECT_NEAR(log_cdf(y), expected, 3e-7 * std::max(1., -.001 * expected)) << z << ' ' << u;
      if (z >= -7 && u * cdf(z) < .9999) {
        EXPECT_NEAR(quantile_f32(static_cast<float>(z), static_cast<float>(u)), y, 2e-4 * (1 + std::abs(y)))
            << z << ' ' << u;
      }
    }
}

TEST(Kernel, ProductsAgreeWithPlainLoops) {
  Random random(1, 2);
  std::vector<double> rows(7 * 50), scale(7), target(45), expected;
  for (auto* values : {&rows, &scale, &target})
    for (double& x : *values) x = random.normal();
  expected = target;
  for (std::size_t l = 0; l < 45; ++l)
    for (std::size_t k = 0; k < 7; ++k) expected[l] -= scale[k] * rows[k * 50 + l];
  kernel::subtract_products(scale.data(), rows.data(), 50, 7, 45, target.data());
  for (std::size_t l = 0; l < 45; ++l) EXPECT_NEAR(target[l], expected[l], 1e-14);
}

TEST(Lattice, EveryCoordinateIsEvenlySpread) {
  std::set<std::uint32_t> residues;
  for (const std::uint32_t z : lattice_vector) {
    EXPECT_EQ(z % 2, 1);
    EXPECT_LT(z, 1U << finest_lattice);
    residues.insert(z);
  }
  EXPECT_EQ(residues.size(), lattice_dimensions);  // two equal ones lie on a diagonal
}

Problem random_problem(std::size_t d, std::size_t rank, std::uint64_t seed) {
  Random random(seed, stream("problem"));
  std::vector<double> a(d * rank);
  for (double& x : a) x = random.normal();
  Problem problem{std::vector<double>(d), correlations_of(std::move(a), d)};
  for (double& bound : problem.upper) bound = random.normal();
  return problem;
}

// Several blocks of columns, full rank and singular.
TEST(Ordering, TriangleTimesItsTransposeIsTheMatrix) {
  for (const std::size_t rank : {3, 40, 75, 200}) {
    const std::size_t d = 75;
    const Problem problem = random_problem(d, rank, rank);
    const Triangle triangle = triangle_of(problem);
    EXPECT_EQ(triangle.rank, std::min(rank, d));
    EXPECT_LT(triangle.defect, 1e-9);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < triangle.rank; ++k) sum += triangle.c[i * d + k] * triangle.c[j * d + k];
        EXPECT_NEAR(sum, problem.correlation[i * d + j], 1e-6) << rank << ' ' << i << ' ' << j;
      }
  }
}

// At the saddle point no tilt can make the largest weight smaller: its derivatives by y and tilt are 0.
TEST(Tilting, FindsTheSaddlePoint) {
  for (const double bound : {0., -3., -20.}) {
    Problem problem = random_problem(12, 30, 5);
    problem.upper.assign(12, bound);
    const Triangle triangle = triangle_of(problem);
    const Integrand plain = integrand_of(problem, triangle), found = tilted(plain, problem, triangle);
    const auto psi = [&](const std::vector<double>& y, const std::vector<double>& tilt) {
      double sum = 0;
      for (std::size_t j = 0; j < 12; ++j) {
        double limit = found.limits[j] - tilt[j];
        for (std::size_t k = 0; k < j; ++k) limit -= found.coefficients[j * 12 + k] * y[k];
        sum += .5 * tilt[j] * tilt[j] - tilt[j] * y[j] + log_cdf(limit);
      }
      return sum;
    };
    EXPECT_NEAR(psi(found.reference, found.tilt), found.log_norm, 1e-7 * (1 + std::abs(found.log_norm)));
    const double h = 1e-4;
    for (std::size_t j = 0; j + 1 < 12; ++j) {
      const auto moved = [&](std::vector<double> values, double by) {
        values[j] += by;
        return values;
      };
      const auto &y = found.reference, &tilt = found.tilt;
      EXPECT_NEAR((psi(moved(y, h), tilt) - psi(moved(y, -h), tilt)) / (2 * h), 0, 1e-4) << bound;
      EXPECT_NEAR((psi(y, moved(tilt, h)) - psi(y, moved(tilt, -h))) / (2 * h), 0, 1e-4) << bound;
    }
  }
}

TEST(OneFactor, LoadingsAreFoundOrRefused) {
  const std::vector<double> loadings = {.9, -.5, .3, .7};
  Problem problem{std::vector<double>(4), std::vector<double>(16)};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      problem.correlation[i * 4 + j] = i == j ? 1 : loadings[i] * loadings[j];
  const auto found = one_factor_of(problem);
  ASSERT_TRUE(found);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found->loadings[i], loadings[i], 1e-12);
  problem.correlation[1 * 4 + 2] = problem.correlation[2 * 4 + 1] += 1e-9;
  EXPECT_FALSE(one_factor_of(problem));
}

}  // namespace
}  // namespace leeway::average_case
