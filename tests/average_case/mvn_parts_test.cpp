// What the multivariate normal distribution function is made of: vectorised functions, orders, tilts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "leeway/average_case/detail/kernel.h"
#include "leeway/average_case/detail/lattice.h"
#include "leeway/average_case/detail/normal-inl.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/average_case/detail/one_factor.h"
#include "leeway/average_case/detail/ordering.h"
#include "leeway/average_case/detail/tilting.h"
#include "leeway/average_case/mvn_cdf.h"
#include "leeway/core/random.h"
#include "tests/average_case/correlations.h"

namespace leeway::average_case::mvn_parts_test {

using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;

constexpr double infinity = std::numeric_limits<double>::infinity();

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

double phi(double z) { return .5 * std::erfc(-z / std::numbers::sqrt2); }
double density(double z) { return std::exp(-.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

Numbers gram(const Rows& rows) {
  Numbers r;
  for (const Numbers& a : rows)
    for (const Numbers& b : rows) {
      double sum = 0;
      for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
      r.push_back(sum);
    }
  return r;
}

Rows random_rows(std::size_t d, std::size_t rank, std::uint64_t seed) {
  Random random(seed, stream("low rank"));
  Rows rows(d, Numbers(rank));
  for (Numbers& row : rows) {
    double square = 0;
    for (double& x : row) x = random.normal(), square += x * x;
    for (double& x : row) x /= std::sqrt(square);
  }
  return rows;
}

// Simpson's rule in x, the interval of y in closed form; corners between nodes leave some 1e-7.
double in_the_plane(const Rows& rows, const Numbers& upper) {
  constexpr int n = 200000;
  const double low = -9, step = 18. / n;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double x = low + i * step;
    double from = -infinity, to = infinity;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const double limit = (upper[j] - rows[j][0] * x) / rows[j][1];
      if (rows[j][1] > 0) to = std::min(to, limit);
      if (rows[j][1] < 0) from = std::max(from, limit);
    }
    if (from < to) sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * density(x) * (phi(to) - phi(from));
  }
  return sum * step / 3;
}

TEST(LowRank, ClassifiersOfTwoInputs) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::size_t d = 3 + 3 * (seed % 4);
    const Rows rows = random_rows(d, 2, seed);
    Random random(seed, stream("bounds"));
    Numbers upper(d);
    for (double& b : upper) b = .2 + std::abs(random.normal());
    const auto found = mvn_cdf(upper, gram(rows));
    EXPECT_TRUE(found.converged);
    EXPECT_EQ(found.method, MvnMethod::quadrature);
    EXPECT_LE(found.error, 1e-9);
    EXPECT_NEAR(found.probability, in_the_plane(rows, upper), 1e-7) << seed;
  }
}

// 1e-8 wide at x = .7, cut by one bound on y: points of a sample never see it.
TEST(LowRank, NearlyOppositeBounds) {
  const double width = 1e-8, tilt = 1e-9;
  const Rows rows = {{1, 0}, {.6, .8}, {-1, tilt}, {.8, -.6}, {0, 1}};
  const Numbers upper = {.7, .9, -.7 + width, 1.2, 2};
  // y <= .6, y <= 2 and y >= -.8 2/3; the width is 1e-8 + 1e-9 (y - 0), both to first order
  double expected = 0;
  constexpr int n = 2000;
  const double low = (.8 * .7 - 1.2) / .6, high = (.9 - .6 * .7) / .8;
  for (int i = 0; i < n; ++i) {
    const double y = low + (high - low) * (i + .5) / n;
    expected += (high - low) / n * density(y) * density(.7) * (width - tilt * y);
  }
  const auto found = mvn_cdf(upper, gram(rows));
  EXPECT_NEAR(found.log_probability, std::log(expected), found.log_error + 1e-6);
  EXPECT_LE(found.log_error, .01);
  EXPECT_TRUE(found.converged);
}

TEST(LowRank, ContradictingBoundsHaveProbabilityZero) {
  const auto impossible = [](const Rows& rows, const Numbers& upper) {
    const auto found = mvn_cdf(upper, gram(rows));
    EXPECT_EQ(found.probability, 0);
    EXPECT_EQ(found.log_probability, -infinity);
    EXPECT_EQ(found.error, 0);
    EXPECT_EQ(found.log_error, 0);
    EXPECT_TRUE(found.converged);
  };
  impossible({{1}, {-1}, {2}}, {.5, -.6, 3});
  impossible({{1.7}, {-.3}, {.9}}, {.17, -.0301, 3});
  impossible({{1, 0}, {-.6, .8}, {-.6, -.8}}, {-1, .5, .6});  // three lines of a plane
  impossible({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}, {1, -1, 0}},
             {.1, .2, .3, -.601, 1});  // four planes
  Rows rows = random_rows(9, 5, 3);    // two opposite rows of a higher rank
  rows.push_back(rows[2]);
  for (double& x : rows.back()) x = -x;
  impossible(rows, {1, 1, -.5, 1, 1, 1, 1, 1, 1, .499});
}

// Rows that imply each other beside three independent ones; bounds down to -30.
TEST(LowRank, RankThreeKeepsItsRelativeErrorInTails) {
  const double s = std::sqrt(3.);
  const Rows rows = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1 / s, 1 / s, 1 / s}, {.6, .8, 0}};
  for (const double b : {2., -1., -8., -30.}) {
    const auto found = mvn_cdf(Numbers{b, b, b, s * b, 1.4 * b}, gram(rows));
    const double exact =
        3 * (b < -20 ? -.5 * b * b - std::log(-b * std::sqrt(2 * std::numbers::pi)) +
                           std::log(1 - 1 / (b * b) + 3 / std::pow(b, 4) - 15 / std::pow(b, 6))
                     : std::log(phi(b)));
    EXPECT_NEAR(found.log_probability, exact, found.log_error + 1e-9) << b;
    EXPECT_LE(found.log_error, 1e-5) << b;
    EXPECT_EQ(found.method, MvnMethod::quadrature);
  }
}

// Three planes with dihedral angles A, B, C hold (A + B + C - pi) / 4 pi of the mass; others cut nothing off.
TEST(LowRank, ConesOfManyPlanes) {
  const Rows rays = random_rows(3, 3, 8);
  const auto cross = [](const Numbers& a, const Numbers& b) {
    Numbers c = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double length = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    for (double& x : c) x /= length;
    return c;
  };
  Rows rows = {cross(rays[1], rays[2]), cross(rays[2], rays[0]), cross(rays[0], rays[1])};
  const double side = rows[0][0] * rays[0][0] + rows[0][1] * rays[0][1] + rows[0][2] * rays[0][2];
  for (Numbers& row : rows)
    for (double& x : row) x *= side > 0 ? -1 : 1;
  const Numbers r = gram(rows);
  const double exact = (std::acos(r[1]) + std::acos(r[2]) + std::acos(r[5])) / (4 * std::numbers::pi);
  const double octant = .5 - exact;  // angles between planes are pi less those of their normals
  Random random(5, stream("cone"));
  while (rows.size() < 100) {
    Numbers sum(3);
    for (std::size_t i = 0; i < 3; ++i) {
      const double weight = random.uniform();
      for (std::size_t k = 0; k < 3; ++k) sum[k] += weight * rows[i][k];
    }
    rows.push_back(sum);
  }
  const auto found = mvn_cdf(Numbers(100, 0), gram(rows));
  EXPECT_NEAR(found.probability, octant, found.error + 1e-12);
  EXPECT_LE(found.error, 1e-6);
}

// A fourth direction of 1e-11 of a variance: what leaving it out may change is a part of the error.
TEST(LowRank, WhatRankThreeLeavesOutIsPartOfTheError) {
  Rows rows = random_rows(8, 4, 2);
  for (Numbers& row : rows) row[3] *= 3e-6;
  Numbers upper(8);
  for (std::size_t i = 0; i < 8; ++i) upper[i] = .3 + .1 * static_cast<double>(i);
  Rows flat = rows;
  for (Numbers& row : flat) row.pop_back();
  const auto found = mvn_cdf(upper, gram(rows)), without = mvn_cdf(upper, gram(flat));
  EXPECT_NEAR(found.probability, without.probability, found.error);
  EXPECT_GE(found.error, 1e-7);
  EXPECT_LE(found.error, 1e-5);
  EXPECT_LE(without.error, 1e-9);
}

// Rounded to float32 the matrix is indefinite; p is that of rank 2 next to it.
TEST(LowRank, Float32MatricesKeepTheirRank) {
  const Rows rows = random_rows(12, 2, 4);
  const Numbers upper(12, .8);
  Numbers rounded = gram(rows);
  for (double& x : rounded) x = static_cast<float>(x);
  const auto found = mvn_cdf(upper, rounded);
  EXPECT_EQ(found.method, MvnMethod::quadrature);
  EXPECT_NEAR(found.probability, mvn_cdf(upper, gram(rows)).probability, 3e-6);
}

// Five constraints that leave a simplex of size 1e-3 in four dimensions: no point of a sample lies in it.
TEST(LowRank, ASampleWithoutAPointInsideHasNotConverged) {
  const Rows rows = {{1, 0, 0, 0}, {0, 1, 0, 0},     {0, 0, 1, 0},
                     {0, 0, 0, 1}, {-1, -1, -1, -1}, {.5, .5, -.5, -.5}};
  const auto found = mvn_cdf(Numbers{-1, .5, .3, -.4, .6001, 3}, gram(rows));
  const double exact = std::pow(1e-4, 4) / 24 * density(-1) * density(.5) * density(.3) * density(-.4);
  EXPECT_FALSE(found.converged);
  EXPECT_LE(std::abs(found.probability - exact), found.error);
  EXPECT_EQ(found.log_error, infinity);
}

}  // namespace leeway::average_case::mvn_parts_test
