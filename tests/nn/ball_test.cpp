#include "leeway/nn/attack/ball.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/core/random.h"
#include "leeway/nn/attack/attack.h"
#include "leeway/nn/attack/projection.h"
#include "tests/case_name.h"
#include "tests/nn/toy.h"

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

INSTANTIATE_TEST_SUITE_P(Norms, BothNorms, ::testing::Values(Norm::linf, Norm::l2), case_name);

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

// Feasible, and no farther from the move than any feasible point: those on the way to others (l0: all points tried).
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

INSTANTIATE_TEST_SUITE_P(Norms, EveryNorm, ::testing::ValuesIn(every_norm), case_name);

// The smallest |u|_p with g.u >= gap and x + u in [0,1]; `room` is how far each value can move the way g points. linf: all
// values move by r, or by their room; l2: by min(t g, room); l1: the steepest first, each as far as it goes; l0: those that
// gain most. Infinity where all of them together do not suffice.
double least_norm(const std::vector<double>& g, const std::vector<double>& room, double gap, Norm norm) {
  const std::size_t d = g.size();
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), 0);
  double most = 0;
  for (std::size_t i = 0; i < d; ++i) most += g[i] * room[i];
  if (most < gap) return INFINITY;
  if (norm == Norm::l1 || norm == Norm::l0) {
    const auto value = [&](std::size_t i) { return norm == Norm::l1 ? g[i] : g[i] * room[i]; };
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
    double length = 0;
    for (const std::size_t i : order) {
      if (g[i] * room[i] >= gap) return norm == Norm::l0 ? length + 1 : length + gap / g[i];
      gap -= g[i] * room[i], length += norm == Norm::l0 ? 1 : room[i];
    }
    return length;
  }
  const auto move = [&](double t, std::size_t i) {
    return std::min(norm == Norm::linf ? t : t * g[i], room[i]);
  };
  double low = 0, high = 1e4;
  for (int step = 0; step < 200; ++step) {
    const double t = (low + high) / 2;
    double gain = 0;
    for (std::size_t i = 0; i < d; ++i) gain += g[i] * move(t, i);
    (gain < gap ? low : high) = t;
  }
  double length = 0;
  for (std::size_t i = 0; i < d; ++i)
    length = norm == Norm::linf ? std::max(length, move(high, i)) : length + move(high, i) * move(high, i);
  return norm == Norm::linf ? length : std::sqrt(length);
}

double dual_distance(const std::vector<double>& g, double gap, Norm norm) {
  double sum = 0, square = 0, largest = 0;
  for (const double value : g) sum += value, square += value * value, largest = std::max(largest, value);
  if (norm == Norm::l0) return 1;
  return gap / (norm == Norm::linf ? sum : norm == Norm::l2 ? std::sqrt(square) : largest);
}

AttackOptions fmn_options(Norm norm, double steps = 100) {
  return {.attack = "fmn", .norm = norm, .parameters = {{"steps", steps}}};
}

class FmnOnLinearModels : public ::testing::TestWithParam<Norm> {
 protected:
  static constexpr std::size_t d = 20;
  torch::Tensor weight, bias;

  FmnOnLinearModels() {
    torch::manual_seed(11);
    weight = torch::randn({2, d});
    bias = -.5 * weight.sum(1);  // grey is on the boundary
  }

  // Pixels of [middle - width, middle + width], the model's own predictions as targets.
  static Images images(double width) {
    Images images = toy::images(60, {1, 1, d}, 2, 3);
    std::vector<float> pixels;
    for (const float pixel : images.pixels.view<float>())
      pixels.push_back(static_cast<float>(.5 + 2 * width * (pixel - .5)));
    images.pixels = make_array({60, 1, 1, d}, std::move(pixels));
    images.labels.reset();
    return images;
  }

  // Of row i: the slopes and rooms the way that leads to the other class, and the gap to it.
  struct Row {
    std::vector<double> slopes, room;
    double gap = 0;
  };
  [[nodiscard]] Row row(const Images& images, std::size_t i) const {
    Row row;
    const auto x = images.pixels.view<float>().subspan(i * d, d);
    const torch::Tensor w = (weight[1] - weight[0]).to(torch::kFloat64);
    double difference = (bias[1] - bias[0]).item<double>();
    for (std::size_t j = 0; j < d; ++j) difference += w[static_cast<std::int64_t>(j)].item<double>() * x[j];
    row.gap = std::abs(difference);
    for (std::size_t j = 0; j < d; ++j) {
      const double g = w[static_cast<std::int64_t>(j)].item<double>() * (difference > 0 ? -1 : 1);
      row.slopes.push_back(std::abs(g));
      row.room.push_back(g > 0 ? 1. - x[j] : static_cast<double>(x[j]));
    }
    return row;
  }
};

TEST_P(FmnOnLinearModels, FindsTheLeastNormInsideTheBox) {
  const auto model = toy::linear_model(weight, bias);
  const Images wide = images(.5);
  AttackOptions options = fmn_options(GetParam(), 300);
  if (GetParam() == Norm::l0) options.parameters["step"] = 10, options.parameters["last-step"] = .1;
  const AttackResult found = model->attack(wide, options);
  std::size_t boxed = 0;
  for (std::size_t i = 0; i < wide.n(); ++i) {
    const Row one = row(wide, i);
    const double expected = least_norm(one.slopes, one.room, one.gap, GetParam());
    boxed += expected > dual_distance(one.slopes, one.gap, GetParam()) * 1.001;
    EXPECT_GE(found.norms[i], expected * (1 - 1e-4) - 2e-6) << i;
    EXPECT_LE(found.norms[i], expected * 1.01) << i;
  }
  EXPECT_GT(boxed, 3U);
}

// Grey is on the boundary, where the two logits are equal: the loss is 0 and says of no distance.
TEST_P(FmnOnLinearModels, LeavesTheBoundaryItself) {
  const auto model = toy::linear_model(weight, bias);
  const AttackResult found = model->attack(images(0), fmn_options(GetParam()));
  for (const double norm : found.norms) EXPECT_LE(norm, GetParam() == Norm::l0 ? 1 : .01);
}

// Nothing inside the box changes the prediction.
TEST_P(FmnOnLinearModels, FailsWhereTheBoundaryIsOutsideTheBox) {
  bias = torch::tensor({1000.f, 0.f});
  const AttackResult found = toy::linear_model(weight, bias)->attack(images(.5), fmn_options(GetParam(), 20));
  for (const double norm : found.norms) EXPECT_EQ(norm, INFINITY);
  EXPECT_EQ(found.robust_accuracy, 1);
}

INSTANTIATE_TEST_SUITE_P(Norms, FmnOnLinearModels, ::testing::ValuesIn(every_norm), case_name);

class Fmn : public ::testing::TestWithParam<Norm> {};

TEST_P(Fmn, LeavesRowsThatAreMisjudgedAlready) {
  const auto model = toy::model("small-cnn", {1, 8, 8}, 3, 10);
  const Images images = toy::images(80, {1, 8, 8}, 3, 5);
  const AttackResult found = model->attack(images, fmn_options(GetParam(), 10));
  const std::vector<std::int64_t> clean = predictions(model->outputs(images).logits);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < images.n(); ++i) {
    const bool is_wrong = clean[i] != (*images.labels)[i];
    wrong += is_wrong;
    EXPECT_EQ(found.norms[i] == 0, is_wrong);
    const auto before = images.pixels.view<float>().subspan(64 * i, 64),
               after = found.images.pixels.view<float>().subspan(64 * i, 64);
    EXPECT_EQ(std::ranges::equal(before, after), is_wrong || found.success[i] == 0);
  }
  EXPECT_GT(wrong, 0U);
}

// 32 rows are a shard: the same ones alone and among others.
TEST_P(Fmn, HasTheSameBitsForAnyRowsBesideAShard) {
  const auto model = toy::model("small-cnn", {1, 12, 12}, 3, 4);
  const AttackResult all = model->attack(toy::images(128, {1, 12, 12}, 3, 7), fmn_options(GetParam(), 8)),
                     part = model->attack(toy::images(64, {1, 12, 12}, 3, 7), fmn_options(GetParam(), 8));
  EXPECT_TRUE(
      std::ranges::equal(part.images.pixels.view<float>(), all.images.pixels.view<float>().first(64 * 144)));
  EXPECT_TRUE(std::ranges::equal(part.norms, std::span(all.norms).first(64)));
}

// A row whose pixels have no effect: no division by its gradient of 0, and the others are found all the same.
TEST_P(Fmn, StaysWhereTheGradientIsZero) {
  const ForwardFunction forward = [](const torch::Tensor& x) {
    const torch::Tensor sums = x.flatten(1).sum(1) * torch::tensor({0.f, 1.f});
    return Forward{torch::stack({torch::full({2}, 2.5f) + 0 * sums, sums}, 1), {}};
  };
  const torch::Tensor clean = torch::full({2, 1, 1, 4}, .5f);
  const std::vector<std::uint64_t> keys{0, 1};
  const AttackOptions options = complete_attack(fmn_options(GetParam(), 60));
  const Attacked found =
      attack("fmn").run({forward, clean, torch::zeros({2}, torch::kInt64), keys, Loss::difference}, options);
  EXPECT_TRUE(found.images[0].equal(clean[0]));
  EXPECT_GT(found.images[1].sum().item<double>(), 2.5);
  EXPECT_LT(found.images[1].sum().item<double>(), 3.6);
  EXPECT_TRUE(found.zero_gradient.equal(torch::tensor({true, false})));
  EXPECT_FALSE(found.images.isnan().any().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(Norms, Fmn, ::testing::ValuesIn(every_norm), case_name);

TEST(L2Step, IsTheLengthInsideTheBox) {
  const torch::Tensor clean = torch::tensor({.9f, .5f}).view({1, 1, 1, 2});
  const torch::Tensor x =
      Ball(clean, Norm::l2, 1).step(clean, torch::tensor({4.f, 3.f}).view({1, 1, 1, 2}), .3);
  EXPECT_NEAR(x.view(-1)[0].item<double>(), 1, 1e-6);
  EXPECT_NEAR(x.view(-1)[1].item<double>(), .5 + std::sqrt(.08), 1e-5);
}

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
