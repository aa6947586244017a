#include "leeway/nn/attack/attack.h"

#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/error.h"
#include "leeway/core/parallel.h"
#include "tests/nn/toy.h"

namespace leeway::nn {
namespace {

std::vector<std::int64_t> classes_of(const Outputs& outputs) {
  std::vector<std::int64_t> classes;
  const auto logits = outputs.logits.view<float>();
  for (std::size_t i = 0; i < outputs.n(); ++i) {
    const auto row = logits.subspan(i * outputs.k(), outputs.k());
    classes.push_back(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return classes;
}

// The largest of g.(x' - x) over |x' - x| <= eps inside [0,1]: in l_inf coordinate by coordinate, in l_2 at
// clip(x + t g) with the t that spends the whole radius (bisection).
double worst_gain(const float* x, const std::vector<double>& g, Norm norm, double eps) {
  const auto gain = [&](double t, double* length) {
    double sum = 0, square = 0;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double move = norm == Norm::linf ? std::clamp(x[i] + (g[i] > 0 ? eps : -eps), 0., 1.) - x[i]
                                             : std::clamp(x[i] + t * g[i], 0., 1.) - x[i];
      sum += g[i] * move;
      square += move * move;
    }
    *length = std::sqrt(square);
    return sum;
  };
  double low = 0, high = 1e6, length = 0;
  if (norm == Norm::linf) return gain(0, &length);
  for (int i = 0; i < 200; ++i) {
    (void)gain((low + high) / 2, &length);
    (length < eps ? low : high) = (low + high) / 2;
  }
  return gain(low, &length);
}

struct Case {
  std::string attack;
  Norm norm;
};

class OnLinearModels : public testing::TestWithParam<Case> {};

// Two classes: the margin F_1 - F_0 of a row labelled 0 is linear, so the worst case is closed.
TEST_P(OnLinearModels, ReachesTheClosedFormWorstCase) {
  constexpr std::size_t d = 20;
  torch::manual_seed(11);
  const torch::Tensor weight = torch::randn({2, d}), bias = torch::randn({2});
  const auto model = toy::linear_model(weight, bias);
  Images images = toy::images(40, {1, 1, d}, 2, 3);
  for (const double eps : {.01, .1, .5, 2.}) {
    AttackOptions options;
    options.attack = GetParam().attack;
    options.norm = GetParam().norm;
    options.eps = eps;
    options.steps = 60;
    options.relative_step = 1;  // on the sphere every step halves what is missing in direction
    const AttackResult result = model->attack(images, options);
    const auto margin_of = [&](const Array& logits, std::size_t i) {
      const auto row = logits.view<float>().subspan(2 * i, 2);
      const auto y = static_cast<std::size_t>((*images.labels)[i]);
      return static_cast<double>(row[1 - y]) - row[y];
    };
    const Outputs clean = model->outputs(images);
    for (std::size_t i = 0; i < images.n(); ++i) {
      const auto y = static_cast<std::int64_t>((*images.labels)[i]);
      std::vector<double> g(d);
      for (std::size_t j = 0; j < d; ++j)
        g[j] = (weight[1 - y][static_cast<std::int64_t>(j)] - weight[y][static_cast<std::int64_t>(j)])
                   .item<double>();
      const double worst = margin_of(clean.logits, i) +
                           worst_gain(images.pixels.view<float>().data() + i * d, g, GetParam().norm, eps);
      EXPECT_NEAR(margin_of(result.outputs.logits, i), worst, 2e-4 * (1 + eps))
          << "row " << i << ", eps " << eps;
      if (std::abs(worst) > 1e-3) {
        EXPECT_EQ(result.success[i] != 0, worst > 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OnLinearModels,
                         testing::Values(Case{"pgd", Norm::linf}, Case{"pgd", Norm::l2},
                                         Case{"fgsm", Norm::linf}, Case{"fgsm", Norm::l2}),
                         [](const auto& instance) {
                           return instance.param.attack + "_" + std::string(name_of(instance.param.norm));
                         });

class EveryAttack : public testing::TestWithParam<Case> {};

TEST_P(EveryAttack, KeepsItsPromises) {
  const InputShape shape{2, 8, 8};
  const auto model =
      toy::model("small-cnn", shape, 3, 10);  // says two classes, so that noise finds something, too
  const Images images = toy::images(150, shape, 3, 5);
  AttackOptions options;
  options.attack = GetParam().attack;
  options.norm = GetParam().norm;
  options.eps = options.norm == Norm::linf ? .05 : .5;
  options.steps = 5;
  const AttackResult result = model->attack(images, options);
  const std::vector<std::int64_t> predicted = classes_of(model->outputs(result.images));
  const std::vector<std::int64_t> clean = classes_of(model->outputs(images));
  std::size_t fallen = 0, right = 0;
  for (std::size_t i = 0; i < images.n(); ++i) {
    EXPECT_EQ(result.success[i] != 0, predicted[i] != (*images.labels)[i]);
    EXPECT_EQ(std::isinf(result.norms[i]), result.success[i] == 0);
    if (result.success[i]) {
      EXPECT_LE(result.norms[i], options.eps);
    }
    if (clean[i] != (*images.labels)[i]) {
      EXPECT_TRUE(result.success[i]) << "a misjudged image stays misjudged";
    }
    fallen += result.success[i];
    right += clean[i] == (*images.labels)[i];
  }
  EXPECT_DOUBLE_EQ(result.robust_accuracy, 1 - static_cast<double>(fallen) / 150);
  EXPECT_DOUBLE_EQ(result.clean_accuracy, static_cast<double>(right) / 150);
  EXPECT_GT(fallen, 150 - right) << "the attack found nothing";
  EXPECT_TRUE(toy::same_bits(result.outputs.logits, model->outputs(result.images).logits));
  EXPECT_EQ(result.images.labels, images.labels);
}

TEST_P(EveryAttack, RadiusZeroIsCleanAccuracy) {
  const auto model = toy::model("small-cnn", {1, 8, 8}, 4, 4);
  const Images images = toy::images(200, {1, 8, 8}, 4, 6);
  AttackOptions options;
  options.attack = GetParam().attack;
  options.norm = GetParam().norm;
  options.eps = 0;
  options.steps = 3;
  const AttackResult result = model->attack(images, options);
  EXPECT_EQ(result.robust_accuracy, result.clean_accuracy);
  EXPECT_TRUE(toy::same_bits(result.images.pixels, images.pixels));
}

TEST_P(EveryAttack, HasTheSameBitsForAnyThreads) {
  const auto model = toy::model("small-cnn", {1, 12, 12}, 3, 4);
  const Images images = toy::images(400, {1, 12, 12}, 3, 7);
  AttackOptions options;
  options.attack = GetParam().attack;
  options.norm = GetParam().norm;
  options.eps = .1;
  options.steps = 4;
  options.restarts = 2;
  set_threads(1);
  const AttackResult one = model->attack(images, options);
  for (const int threads : {2, 7}) {
    set_threads(threads);
    const AttackResult other = model->attack(images, options);
    EXPECT_TRUE(toy::same_bits(one.images.pixels, other.images.pixels)) << threads;
    EXPECT_EQ(one.norms, other.norms);
  }
  set_threads(1);
}

// Without labels the model's own predictions are the targets: all are "right" before.
TEST_P(EveryAttack, AttacksPredictionsWhereThereAreNoLabels) {
  const auto model = toy::model("small-cnn", {1, 8, 8}, 2, 10);  // says both classes
  Images images = toy::images(50, {1, 8, 8}, 2, 8);
  images.labels.reset();
  AttackOptions options;
  options.attack = GetParam().attack;
  options.norm = GetParam().norm;
  options.eps = options.norm == Norm::linf ? 1 : 6;
  const AttackResult result = model->attack(images, options);
  EXPECT_FALSE(result.labelled);
  EXPECT_EQ(result.clean_accuracy, 1);
  EXPECT_EQ(result.targets, classes_of(model->outputs(images)));
  EXPECT_LT(result.robust_accuracy, 1);
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const AttackMember& member : attacks())
    for (const Norm norm : {Norm::linf, Norm::l2}) cases.push_back({std::string(member.name), norm});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, EveryAttack, testing::ValuesIn(every_case()), [](const auto& instance) {
  return instance.param.attack + "_" + std::string(name_of(instance.param.norm));
});

// Logits of +-1e4: the cross-entropy of float32 is exactly 0 and has no gradient, the margin has.
TEST(Pgd, AttacksSaturatedModels) {
  const torch::Tensor weight = torch::tensor({{1e4f, 0.f}, {-1e4f, 0.f}});
  const auto model = toy::linear_model(weight, torch::tensor({0.f, 1e4f}));  // boundary at x_0 = .5
  Images images;
  images.pixels = make_array({1, 1, 1, 2}, std::vector<float>{.6f, .5f});
  images.labels = std::vector<std::int64_t>{0};
  AttackOptions options;
  options.eps = .15;
  EXPECT_EQ(model->attack(images, options).success.front(), 1);
  options.eps = .09;
  EXPECT_EQ(model->attack(images, options).success.front(), 0);
}

TEST(Pgd, MoreRestartsNeverFindLess) {
  const auto model = toy::model("small-cnn", {1, 8, 8}, 3, 4);
  const Images images = toy::images(100, {1, 8, 8}, 3, 9);
  AttackOptions options;
  options.eps = .03;
  options.steps = 2;
  const AttackResult one = model->attack(images, options);
  options.restarts = 4;
  const AttackResult four = model->attack(images, options);
  for (std::size_t i = 0; i < images.n(); ++i) EXPECT_GE(four.success[i], one.success[i]);
  EXPECT_FALSE(toy::same_bits(one.images.pixels, four.images.pixels));
}

// Ranking: failure with margin -1, success with margin 1, success with 3, failure with 9.
TEST(BestPoint, PrefersSuccessThenMargin) {
  const auto point = [](float x) { return torch::full({1, 1, 1, 1}, x); };
  const auto margin_is = [](float value, bool success) {
    return Margin{torch::tensor({value}), torch::tensor({success}), {}};
  };
  Best best;
  const auto kept = [&] { return best.images().item<float>(); };
  best.offer(point(1), margin_is(-1, false));
  best.offer(point(2), margin_is(1, true));
  EXPECT_EQ(kept(), 2);
  best.offer(point(3), margin_is(3, true));
  EXPECT_EQ(kept(), 3);
  best.offer(point(4), margin_is(9, false));
  EXPECT_EQ(kept(), 3);
  best.offer(point(5), margin_is(3, true));
  EXPECT_EQ(kept(), 3) << "the earlier of equals";
}

TEST(AttackOptions, AreChecked) {
  const auto message = [](const AttackOptions& options) {
    return message_of([&] { check_attack(options); });
  };
  EXPECT_EQ(message({.attack = "cw"}), "attack: expected one of pgd, fgsm, noise, found 'cw'");
  EXPECT_EQ(message({.eps = -1}), "attack: eps: expected a finite number, at least 0, found -1");
  EXPECT_EQ(message({.eps = NAN}), "attack: eps: expected a finite number, at least 0, found nan");
  EXPECT_EQ(message({.steps = 0}), "attack: steps: expected at least 1, found 0");
  EXPECT_EQ(message({.relative_step = 0.}), "attack: relative step: expected a positive number, found 0");
  EXPECT_EQ(message({.restarts = 0}), "attack: restarts: expected at least 1, found 0");
}

}  // namespace
}  // namespace leeway::nn
