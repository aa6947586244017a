#include "leeway/attack/geometry.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "tests/attack/toy_classifiers.h"
#include "tests/case_name.h"

namespace leeway::attack::geometry_test {

constexpr std::size_t d = 12;

Points uniform(std::size_t n, std::uint64_t seed, double low, double high) {
  return {n, d, toy::random_rows(n, d, seed, low, high)};
}

// Points of the box; every fourth value is on its boundary.
Points in_box(std::size_t n, std::uint64_t seed) {
  Points points = uniform(n, seed, 0, 1);
  for (std::size_t j = 0; j < n * d; j += 4) points.values[j] = seed % 2 ? 1.f : 0.f;
  return points;
}

// [0,1], of odd seeds in every feature more.
Box box_of(std::uint64_t seed) {
  Box box;
  for (std::size_t j = 0; seed % 2 != 0 && j < d; ++j)
    box.lows.push_back(-.1 * static_cast<double>(j)), box.highs.push_back(1 + .05 * static_cast<double>(j));
  return box;
}

TEST(Norms, ByHand) {
  const std::vector<float> row{3, -4, 0}, other{1, -4, 1};
  for (const auto& [norm, of_row, apart] : {std::tuple(Norm::linf, 4., 2.),
                                            {Norm::l2, 5., std::sqrt(5.)},
                                            {Norm::l1, 7., 3.},
                                            {Norm::l0, 2., 2.}}) {
    EXPECT_EQ(norm_of(row, norm), of_row) << name_of(norm);
    EXPECT_EQ(distance(row, other, norm), apart) << name_of(norm);
  }
  EXPECT_TRUE(is_zero(std::vector<float>{0, -0.f}));
  EXPECT_FALSE(is_zero(row));
}

TEST(Reach, AgreesWithBisection) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Points direction = uniform(1, seed, -1, 1);
    const std::vector<float> room = room_along(in_box(1, seed + 60).values, direction.values, {});
    const double radius = .05 * static_cast<double>(seed + 1), t = reach(direction.row(0), room, radius);
    if (norm_of(room, Norm::l2) < radius) {
      EXPECT_EQ(t, INFINITY);
      continue;
    }
    const auto length = [&](double along) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j)
        sum += std::pow(std::min(along * std::abs(direction.values[j]), static_cast<double>(room[j])), 2);
      return std::sqrt(sum);
    };
    double low = 0, high = 1e6;
    for (int i = 0; i < 200; ++i) (length((low + high) / 2) < radius ? low : high) = (low + high) / 2;
    EXPECT_NEAR(t / high, 1, 1e-9) << seed;
  }
}

class BothNorms : public ::testing::TestWithParam<Norm> {
 protected:
  [[nodiscard]] static Points stepped(const Ball& ball, Points x, const Points& gradient, double length) {
    for (std::size_t i = 0; i < x.n; ++i) ball.step(i, x.row(i), gradient.row(i), length);
    return x;
  }
  [[nodiscard]] static Points projected(const Ball& ball, Points x) {
    for (std::size_t i = 0; i < x.n; ++i) ball.project(i, x.row(i));
    return x;
  }
};

TEST_P(BothNorms, EverythingStaysInBallAndBox) {
  const std::vector<std::uint64_t> keys{1, 2, 3, 4, 5};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Box box = seed < 30 ? box_of(seed) : anywhere;
    const double eps = std::pow(10., -4 + static_cast<double>(seed % 6)), slack = seed < 30 ? 0 : 1e-6;
    const Points clean = in_box(5, seed), gradient = uniform(5, seed + 100, -1, 1);
    Points tiny = gradient;
    for (float& value : tiny.values) value *= 1e-30f;
    const Ball ball(clean, GetParam(), eps, box);
    for (const Points& x :
         {ball.random(seed, 1, keys), projected(ball, uniform(5, seed + 200, -3, 3)), projected(ball, clean),
          stepped(ball, clean, gradient, eps), stepped(ball, ball.random(seed, 2, keys), tiny, 3 * eps)}) {
      for (std::size_t j = 0; j < x.values.size(); ++j) EXPECT_EQ(x.values[j], box.clip(j % d, x.values[j]));
      for (std::size_t i = 0; i < 5; ++i)
        EXPECT_LE(distance(x.row(i), clean.row(i), GetParam()), eps * (1 + slack)) << "eps " << eps;
    }
  }
}

TEST_P(BothNorms, ProjectionsOfPointsAreThoseOfMoves) {
  const Points clean = in_box(5, 1), y = uniform(5, 2, -1, 2), x = projected({clean, GetParam(), .4}, y);
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<float> move(d);
    for (std::size_t j = 0; j < d; ++j) move[j] = y.row(i)[j] - clean.row(i)[j];
    project_move(move, clean.row(i), .4, GetParam(), {});
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(x.row(i)[j] - clean.row(i)[j], move[j], 2e-6);
  }
}

TEST_P(BothNorms, RowsWithoutGradientStay) {
  const Points clean = uniform(2, 5, 0, 1);
  Points gradient = uniform(2, 6, -1, 1);
  std::ranges::fill(gradient.row(0), 0.f);
  const Points x = stepped({clean, GetParam(), .3}, clean, gradient, .1);
  EXPECT_TRUE(std::ranges::equal(x.row(0), clean.row(0)));
  EXPECT_FALSE(std::ranges::equal(x.row(1), clean.row(1)));
}

TEST_P(BothNorms, RandomStartsDependOnSeedStreamAndKeyAlone) {
  const Points clean = uniform(3, 7, .3, .7), third{1, d, {clean.row(2).begin(), clean.row(2).end()}};
  const std::vector<std::uint64_t> keys{0, 1, 2};
  const Ball ball(clean, GetParam(), .2);
  const Points x = ball.random(9, 1, keys);
  EXPECT_TRUE(
      std::ranges::equal(x.row(2), Ball(third, GetParam(), .2).random(9, 1, std::span(keys).last(1)).values));
  EXPECT_NE(x.values, ball.random(10, 1, keys).values);
  EXPECT_NE(x.values, ball.random(9, 2, keys).values);
  for (std::size_t i = 0; i < 3; ++i)  // 12 values: below half the radius only with odds 2^-12
    EXPECT_GT(distance(x.row(i), clean.row(i), GetParam()), .1);
  for (std::size_t j = 0; j < 3 * d; ++j) EXPECT_NE(x.values[j], clean.values[j]);
}

INSTANTIATE_TEST_SUITE_P(Norms, BothNorms, ::testing::Values(Norm::linf, Norm::l2), case_name);

TEST(L2Step, MovesAsFarAsItsLengthReaches) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Points clean = uniform(1, seed, 0, 1), gradient = uniform(1, seed + 500, -1, 1);
    const double length = .05 * static_cast<double>(seed + 1),
                 t = reach(gradient.values, room_along(clean.values, gradient.values, {}), length);
    Points x = clean;
    Ball(clean, Norm::l2, 100).step(0, x.row(0), gradient.row(0), length);
    for (std::size_t j = 0; j < d; ++j)
      EXPECT_NEAR(x.values[j], std::clamp(clean.values[j] + t * gradient.values[j], 0., 1.), 2e-5) << seed;
  }
}

TEST(L2Step, HasItsLengthInsideTheBox) {
  const Points clean{1, 2, {.9f, .5f}};
  Points x = clean;
  Ball(clean, Norm::l2, 1).step(0, x.row(0), std::vector<float>{4, 3}, .3);
  EXPECT_NEAR(x.values[0], 1, 1e-6);
  EXPECT_NEAR(x.values[1], .5 + std::sqrt(.08), 1e-5);
}

class EveryNorm : public ::testing::TestWithParam<Norm> {};

// Feasible, and no farther from the move than other feasible points, nor than points on the way to them.
TEST_P(EveryNorm, ProjectionsAreTheNearestPoints) {
  const Norm norm = GetParam();
  const std::array radii = norm == Norm::l0 ? std::array{0., 1., 5., 12.} : std::array{0., .3, 1.7, HUGE_VAL};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Points clean = in_box(4, seed), moves = uniform(4, seed + 50, -1.5, 1.5);
    const Box box = box_of(seed);
    for (std::size_t i = 0; i < 4; ++i) {
      const Row x = clean.row(i), move = moves.row(i);
      std::vector<float> u(move.begin(), move.end());
      project_move(u, x, radii[i], norm, box);
      EXPECT_LE(norm_of(u, norm), radii[i] * (1 + 1e-5)) << seed;
      for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(x[j] + u[j], box.clip(j, x[j] + u[j]), 1e-6);
      const double own = distance(move, u, Norm::l2);
      for (std::uint64_t other = 0; other < 30; ++other) {
        std::vector<float> v = toy::random_rows(1, d, 1000 * seed + other + 7, -1.5, 1.5), between(d);
        for (std::size_t j = 0; j < d; ++j) v[j] += other % 2 ? move[j] : u[j];
        project_move(v, x, radii[i], norm, box);
        for (std::size_t j = 0; j < d; ++j) between[j] = u[j] + (v[j] - u[j]) * .01f;
        EXPECT_GE(distance(move, v, Norm::l2), own - 1e-5) << seed << " " << other;
        if (norm != Norm::l0) {
          EXPECT_GE(distance(move, between, Norm::l2), own - 1e-5) << seed << " " << other;
        }
      }
    }
  }
}

TEST_P(EveryNorm, ProjectionsLeaveWhatIsInside) {
  const Points clean = uniform(1, 3, .4, .6), inside = uniform(1, 4, -.3, .3);
  Points move = inside;
  project_move(move.row(0), clean.row(0), 100, GetParam(), {});
  EXPECT_EQ(move.values, inside.values);
}

INSTANTIATE_TEST_SUITE_P(Norms, EveryNorm, ::testing::ValuesIn(every_norm), case_name);

// The best of all 2^12 choices of values that move.
TEST(L0Projection, IsTheBestChoiceOfValues) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Points x = in_box(1, seed), moves = uniform(1, seed + 50, -1.5, 1.5);
    const double radius = 1.5 + static_cast<double>(seed);
    double least = HUGE_VAL;
    for (std::uint32_t chosen = 0; chosen < 1U << d; ++chosen) {
      if (std::popcount(chosen) > radius) continue;
      std::vector<float> u(d);
      for (std::size_t j = 0; j < d; ++j)
        if ((chosen >> j & 1U) != 0) u[j] = Box{}.clip(j, x.values[j] + moves.values[j]) - x.values[j];
      least = std::min(least, distance(moves.values, u, Norm::l2));
    }
    std::vector<float> u = moves.values;
    project_move(u, x.values, radius, Norm::l0, {});
    EXPECT_NEAR(distance(moves.values, u, Norm::l2), least, 1e-6) << seed;
  }
}

TEST(Projections, ByHand) {
  for (const auto& [norm, radius, expected] : {std::tuple(Norm::l1, .6, std::array{.1, .3, .2}),
                                               {Norm::l0, 1., {0, .4, 0}},
                                               {Norm::linf, .35, {.1, .35, .3}},
                                               {Norm::l2, std::sqrt(.0725), {.1, .2, .15}}}) {
    std::vector<float> move{.5f, .4f, .3f};
    project_move(move, std::vector<float>{.9f, .5f, 0}, radius, norm, {});
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(move[j], expected[j], 1e-6) << name_of(norm) << " " << j;
  }
}

}  // namespace leeway::attack::geometry_test
