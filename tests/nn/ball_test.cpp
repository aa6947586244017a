#include "leeway/nn/attack/ball.h"

#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/random.h"
#include "leeway/nn/attack/projection.h"

namespace leeway::nn::ball_test {

torch::Tensor made(std::uint64_t seed, std::int64_t rows, double low, double high) {
  torch::Tensor images = torch::empty({rows, 1, 3, 4});
  Random random(seed, stream("ball test"));
  for (std::int64_t i = 0; i < images.numel(); ++i)
    images.data_ptr<float>()[i] = static_cast<float>(low + (high - low) * random.uniform());
  return images;
}

// clip(x + t d) with the t that gives the move the wanted length, by bisection in float64.
std::vector<double> bisected(const float* x, const double* direction, std::size_t d, double length) {
  const auto move = [&](double t) {
    std::vector<double> moved(d);
    for (std::size_t i = 0; i < d; ++i) moved[i] = std::clamp(x[i] + t * direction[i], 0., 1.);
    return moved;
  };
  const auto measure = [&](double t) {
    double sum = 0;
    const auto moved = move(t);
    for (std::size_t i = 0; i < d; ++i) sum += (moved[i] - x[i]) * (moved[i] - x[i]);
    return std::sqrt(sum);
  };
  double low = 0, high = 1e6;
  if (measure(high) <= length) return move(high);
  for (int i = 0; i < 200; ++i) (measure((low + high) / 2) < length ? low : high) = (low + high) / 2;
  return move(low);
}

class BothNorms : public ::testing::TestWithParam<Norm> {};

TEST_P(BothNorms, EverythingStaysInBallAndBox) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const double eps = std::pow(10., -4 + static_cast<double>(seed % 6));
    torch::Tensor clean = made(seed, 5, 0, 1);
    clean.view({-1}).slice(0, 0, 60, 4).fill_(seed % 2 ? 1.f : 0.f);  // on the box's faces
    const Ball ball(clean, GetParam(), eps);
    const std::vector<std::uint64_t> keys{1, 2, 3, 4, 5};
    const torch::Tensor gradient = made(seed + 100, 5, -1, 1);
    for (const torch::Tensor& x : {ball.random(seed, 1, keys), ball.project(made(seed + 200, 5, -3, 3)),
                                   ball.project(clean), ball.step(clean, gradient, eps),
                                   ball.step(ball.random(seed, 2, keys), gradient * 1e-30f, 3 * eps)}) {
      EXPECT_GE(x.min().item<float>(), 0.f);
      EXPECT_LE(x.max().item<float>(), 1.f);
      EXPECT_LE(distances(x, clean, GetParam()).max().item<double>(), eps) << "eps " << eps;
    }
  }
}

TEST_P(BothNorms, RowsWithoutGradientStay) {
  const torch::Tensor clean = made(5, 2, 0, 1);
  const Ball ball(clean, GetParam(), .3);
  torch::Tensor gradient = made(6, 2, -1, 1);
  gradient[0].zero_();
  const torch::Tensor x = ball.step(clean, gradient, .1);
  EXPECT_TRUE(x[0].equal(clean[0]));
  EXPECT_FALSE(x[1].equal(clean[1]));
}

TEST_P(BothNorms, RandomStartsDependOnTheKeyAlone) {
  const torch::Tensor clean = made(7, 3, .3, .7);
  const Ball all(clean, GetParam(), .2), last(clean.slice(0, 2), GetParam(), .2);
  const torch::Tensor x = all.random(9, 1, std::vector<std::uint64_t>{0, 1, 2});
  EXPECT_TRUE(x.slice(0, 2).equal(last.random(9, 1, std::vector<std::uint64_t>{2})));
  EXPECT_FALSE(x.equal(all.random(10, 1, std::vector<std::uint64_t>{0, 1, 2})));
  EXPECT_GT(distances(x, clean, GetParam()).min().item<double>(),
            .1);  // 12 pixels: below half only with odds 2^-12
  EXPECT_TRUE((x != clean).all().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(Norms, BothNorms, ::testing::Values(Norm::linf, Norm::l2),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

// A step of length .3 in l_2 from (.9, .5) along (4, 3): the first pixel meets the box after .1, the second
// moves on by sqrt(.09 - .01) = .2828.
TEST(L2Step, IsTheLengthInsideTheBox) {
  const torch::Tensor clean = torch::tensor({.9f, .5f}).view({1, 1, 1, 2});
  const torch::Tensor x =
      Ball(clean, Norm::l2, 1).step(clean, torch::tensor({4.f, 3.f}).view({1, 1, 1, 2}), .3);
  EXPECT_NEAR(x.view(-1)[0].item<double>(), 1, 1e-6);
  EXPECT_NEAR(x.view(-1)[1].item<double>(), .5 + std::sqrt(.08), 1e-5);
}

TEST(L2Step, AgreesWithBisection) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const torch::Tensor clean = made(seed, 1, 0, 1), gradient = made(seed + 500, 1, -1, 1);
    const double length = .05 * static_cast<double>(seed + 1);
    const torch::Tensor x = Ball(clean, Norm::l2, 100).step(clean, gradient, length);
    std::vector<double> direction(12);
    for (std::size_t i = 0; i < 12; ++i) direction[i] = gradient.data_ptr<float>()[i];
    const auto expected = bisected(clean.data_ptr<float>(), direction.data(), 12, length);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(x.data_ptr<float>()[i], expected[i], 2e-5) << seed;
  }
}

class EveryNorm : public ::testing::TestWithParam<Norm> {};

// Feasible, and no nearer to the move than any feasible point: those on the way from it to others (for l0, whose set is not
// convex, all points tried are farther).
TEST_P(EveryNorm, ProjectionsAreTheNearestPoints) {
  const Norm norm = GetParam();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const torch::Tensor clean = made(seed, 4, 0, 1), moves = made(seed + 50, 4, -1.5, 1.5);
    clean.view({-1}).slice(0, 0, 40, 5).fill_(seed % 2 ? 1.f : 0.f);
    torch::Tensor radius = torch::tensor({0., .3, 1.7, HUGE_VAL}, torch::kFloat64);
    if (norm == Norm::l0) radius = torch::tensor({0., 1., 5., 12.}, torch::kFloat64);
    const torch::Tensor u = project_moves(moves, clean, radius, norm);
    EXPECT_TRUE((norms_of(u, norm) <= radius * (1 + 1e-5)).all().item<bool>()) << seed;
    EXPECT_GE((clean + u).min().item<float>(), -1e-6f);
    EXPECT_LE((clean + u).max().item<float>(), 1 + 1e-6f);
    const torch::Tensor own = norms_of(moves - u, Norm::l2);
    for (std::uint64_t other = 0; other < 30; ++other) {
      const torch::Tensor v = project_moves(
          made(1000 * seed + other + 7, 4, -1.5, 1.5) + (other % 2 ? moves : u), clean, radius, norm);
      EXPECT_TRUE((norms_of(moves - v, Norm::l2) >= own - 1e-5).all().item<bool>()) << seed << " " << other;
      const torch::Tensor between = u + (v - u) * .01;
      if (norm != Norm::l0) {
        EXPECT_TRUE((norms_of(moves - between, Norm::l2) >= own - 1e-5).all().item<bool>()) << seed;
      }
    }
  }
}

TEST_P(EveryNorm, ProjectionsLeaveWhatIsInside) {
  const torch::Tensor clean = made(3, 2, .4, .6), moves = made(4, 2, -.3, .3);
  const torch::Tensor far = torch::full({2}, 100., torch::kFloat64);
  EXPECT_TRUE(project_moves(moves, clean, far, GetParam()).equal(moves));
}

INSTANTIATE_TEST_SUITE_P(Norms, EveryNorm, ::testing::ValuesIn(every_norm),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

// From (.9, .5, 0) by (.5, .4, .3), room (.1, .5, 1): l1 of .6 leaves .1 + (.4 - c) + (.3 - c) = .6, so c = .1; l0 of 1 keeps
// the second value, which gains .16 against 2 (.1) (.5) - .01 = .09 and .09.
TEST(Projections, ByHand) {
  const torch::Tensor clean = torch::tensor({.9f, .5f, 0.f}).view({1, 1, 1, 3});
  const torch::Tensor moves = torch::tensor({.5f, .4f, .3f}).view({1, 1, 1, 3});
  const auto projected = [&](double radius, Norm norm) {
    const torch::Tensor u =
        project_moves(moves, clean, torch::full({1}, radius, torch::kFloat64), norm).view(-1);
    return std::vector<double>{u[0].item<double>(), u[1].item<double>(), u[2].item<double>()};
  };
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  };
  expect(projected(.6, Norm::l1), {.1, .3, .2});
  expect(projected(1, Norm::l0), {0, .4, 0});
  expect(projected(.35, Norm::linf), {.1, .35, .3});
  expect(projected(std::sqrt(.0725), Norm::l2), {.1, .2, .15});
}

}  // namespace leeway::nn::ball_test
