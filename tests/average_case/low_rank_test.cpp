// The normal distribution function of matrices of low rank, against integrals worked here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "leeway/average_case/mvn_cdf.h"
#include "leeway/core/random.h"

namespace leeway::average_case {
namespace {

using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;

constexpr double infinity = std::numeric_limits<double>::infinity();

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

// Three planes through the origin with dihedral angles A, B, C hold (A + B + C - pi) / 4 pi of it; others
// cut nothing off.
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

}  // namespace
}  // namespace leeway::average_case
