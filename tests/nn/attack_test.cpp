#include "leeway/nn/attack/attack.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "leeway/core/parallel.h"
#include "tests/case_name.h"
#include "tests/nn/toy.h"

namespace leeway::nn::attack_test {

// The largest of g.(x' - x) over |x' - x| <= eps inside [0,1]; in l_2 at clip(x + t g) with the t that spends eps.
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
  std::string name = attack + "_" + std::string(name_of(norm));

  [[nodiscard]] bool minimum_norm() const { return nn::attack(attack).minimum_norm; }
  [[nodiscard]] AttackOptions options(double eps, const std::map<std::string, double>& numbers) const {
    AttackOptions options;
    options.attack = attack, options.norm = norm;
    if (!minimum_norm()) options.eps = eps;
    for (const Parameter& parameter : nn::attack(attack).parameters)
      if (const auto found = numbers.find(std::string(parameter.name)); found != numbers.end())
        options.parameters.insert(*found);
    return options;
  }
};

class OnLinearModels : public ::testing::TestWithParam<Case> {};

// Two classes: the margin F_1 - F_0 of a row labelled 0 is linear, so the worst case is closed.
TEST_P(OnLinearModels, ReachesTheClosedFormWorstCase) {
  constexpr std::size_t d = 20;
  torch::manual_seed(11);
  const torch::Tensor weight = torch::randn({2, d}), bias = torch::randn({2});
  const auto model = toy::linear_model(weight, bias);
  Images images = toy::images(40, {1, 1, d}, 2, 3);
  for (const double eps : {.01, .1, .5, 2.}) {
    // on the sphere every step halves what is missing in direction
    const AttackOptions options = GetParam().options(eps, {{"steps", 60}, {"relative-step", 1}});
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
                         ::testing::Values(Case{"pgd", Norm::linf}, Case{"pgd", Norm::l2},
                                           Case{"fgsm", Norm::linf}, Case{"fgsm", Norm::l2}),
                         case_name);

class EveryAttack : public ::testing::TestWithParam<Case> {};

TEST_P(EveryAttack, KeepsItsPromises) {
  const InputShape shape{2, 8, 8};
  const auto model =
      toy::model("small-cnn", shape, 3, 10);  // says two classes, so that noise finds something, too
  const Images images = toy::images(150, shape, 3, 5);
  const AttackOptions options = GetParam().options(GetParam().norm == Norm::linf ? .05 : .5, {{"steps", 5}});
  const AttackResult result = model->attack(images, options);
  const std::vector<std::int64_t> predicted = predictions(model->outputs(result.images).logits);
  const std::vector<std::int64_t> clean = predictions(model->outputs(images).logits);
  std::size_t fallen = 0, right = 0;
  for (std::size_t i = 0; i < images.n(); ++i) {
    EXPECT_EQ(result.success[i] != 0, predicted[i] != (*images.labels)[i]);
    EXPECT_EQ(std::isinf(result.norms[i]), result.success[i] == 0);
    if (result.success[i] && options.eps) {
      EXPECT_LE(result.norms[i], *options.eps);
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

TEST_P(EveryAttack, HasTheSameBitsForAnyThreads) {
  const auto model = toy::model("small-cnn", {1, 12, 12}, 3, 4);
  const Images images = toy::images(150, {1, 12, 12}, 3, 7);
  const AttackOptions options = GetParam().options(.1, {{"steps", 2}, {"restarts", 2}});
  set_threads(1);
  const AttackResult one = model->attack(images, options);
  set_threads(3);
  const AttackResult other = model->attack(images, options);
  set_threads(1);
  EXPECT_TRUE(toy::same_bits(one.images.pixels, other.images.pixels));
  EXPECT_EQ(one.norms, other.norms);
}

// Without labels the model's own predictions are the targets: all are "right" before.
TEST_P(EveryAttack, AttacksPredictionsWhereThereAreNoLabels) {
  const auto model = toy::model("small-cnn", {1, 8, 8}, 2, 10);  // says both classes
  Images images = toy::images(50, {1, 8, 8}, 2, 8);
  images.labels.reset();
  const AttackResult result =
      model->attack(images, GetParam().options(GetParam().norm == Norm::linf ? 1 : 6, {{"steps", 20}}));
  EXPECT_FALSE(result.labelled);
  EXPECT_EQ(result.clean_accuracy, 1);
  EXPECT_EQ(result.classes, predictions(model->outputs(images).logits));
  EXPECT_LT(result.robust_accuracy, 1);
}

TEST_P(EveryAttack, ReachesTheTargetsThatItSaysItReaches) {
  const InputShape shape{1, 8, 8};
  const auto model = toy::model("small-cnn", shape, 3, 10);
  const Images images = toy::images(60, shape, 3, 8);
  AttackOptions options = GetParam().options(GetParam().norm == Norm::linf ? 1 : 8, {{"steps", 30}});
  for (const std::int64_t y : *images.labels) options.targets.push_back((y + 1) % 3);
  const AttackResult found = model->attack(images, options);
  const std::vector<std::int64_t> predicted = predictions(found.outputs.logits);
  const std::vector<std::int64_t> clean = predictions(model->outputs(images).logits);
  std::size_t reached = 0, right = 0;
  for (std::size_t i = 0; i < images.n(); ++i) {
    EXPECT_EQ(found.success[i] != 0, predicted[i] == options.targets[i]);
    if (clean[i] == options.targets[i]) {
      EXPECT_TRUE(found.success[i]);
    }
    reached += found.success[i], right += predicted[i] == (*images.labels)[i];
  }
  EXPECT_GT(reached, 0U);
  EXPECT_DOUBLE_EQ(found.robust_accuracy, static_cast<double>(right) / 60);
}

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const AttackMember& member : attacks())
    for (const Norm norm : member.norms) cases.push_back({std::string(member.name), norm});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, EveryAttack, ::testing::ValuesIn(every_case()), case_name);

// Logits of +-1e4: the cross-entropy of float32 is exactly 0 and has no gradient, the difference has.
TEST(Pgd, AttacksSaturatedModels) {
  const torch::Tensor weight = torch::tensor({{1e4f, 0.f}, {-1e4f, 0.f}});
  const auto model = toy::linear_model(weight, torch::tensor({0.f, 1e4f}));  // boundary at x_0 = .5
  Images images{"", make_array({1, 1, 1, 2}, std::vector<float>{.6f, .5f}), std::vector<std::int64_t>{0}};
  AttackOptions options;
  options.eps = .15;
  EXPECT_EQ(model->attack(images, options).success.front(), 1);
  options.eps = .09;
  EXPECT_EQ(model->attack(images, options).success.front(), 0);
  options.parameters = {{"random-start", 0}};
  EXPECT_EQ(model->attack(images, options).zero_gradient, 0);
  options.loss = Loss::cross_entropy;
  EXPECT_EQ(model->attack(images, options).zero_gradient, 1);
}

// `layers` before a small network with random weights, and its logits times `scale`.
std::unique_ptr<Model> network_behind(const std::function<torch::Tensor(const torch::Tensor&)>& layers,
                                      float scale) {
  ModelInfo info;
  info.architecture = "small-cnn", info.input = {1, 8, 8}, info.classes = 5;
  const auto network = make_network(architecture(info.architecture), info.input, info.classes);
  initialize(*network, 4);
  network->eval();
  return make_model(
      info,
      [=](const torch::Tensor& x) {
        const Forward found = network->forward(layers(x));
        return Forward{found.logits * scale, found.features};
      },
      nullptr);
}

// A scale that is a power of two multiplies without rounding.
TEST(FixedBudget, DoesNotDependOnTheScaleOfTheLogits) {
  const auto same = [](const torch::Tensor& x) { return x; };
  const auto whole = network_behind(same, 1), small = network_behind(same, 1. / 128);
  const Images images = toy::images(60, {1, 8, 8}, 5, 9);
  for (const char* const name : {"pgd", "fgsm", "noise"})
    for (const Norm norm : {Norm::linf, Norm::l2}) {
      const AttackOptions options{.attack = name, .norm = norm, .eps = norm == Norm::l2 ? .4 : .05};
      EXPECT_TRUE(toy::same_bits(whole->attack(images, options).images.pixels,
                                 small->attack(images, options).images.pixels))
          << name << " " << name_of(norm);
    }
}

TEST(UnreliableGradients, AreThoseOfALayerThatMasksThem) {
  const Images images = toy::images(60, {1, 8, 8}, 5, 9);
  const auto share = [&](const Model& model, const AttackOptions& options) {
    return model.attack(images, options).unreliable_gradient;
  };
  const auto plain = network_behind([](const torch::Tensor& x) { return x; }, 1);
  const auto masked =
      network_behind([](const torch::Tensor& x) { return x + .03 * torch::sin(3000 * x); }, 1);
  for (const AttackOptions& options : std::vector<AttackOptions>{
           {}, {.attack = "fgsm", .norm = Norm::l2, .eps = .5}, {.attack = "fmn", .norm = Norm::l1}}) {
    EXPECT_LT(share(*plain, options), .05) << options.attack;
    EXPECT_GT(share(*masked, options), .8) << options.attack;
  }
  EXPECT_FALSE(share(*plain, {.eps = 0}).has_value());
  EXPECT_FALSE(share(*plain, {.attack = "noise"}).has_value());
}

TEST(Pgd, MoreRestartsNeverFindLess) {
  const auto model = toy::model("small-cnn", {1, 8, 8}, 3, 4);
  const Images images = toy::images(100, {1, 8, 8}, 3, 9);
  AttackOptions options;
  options.eps = .03, options.parameters = {{"steps", 2}};
  const AttackResult one = model->attack(images, options);
  options.parameters["restarts"] = 4;
  const AttackResult four = model->attack(images, options);
  for (std::size_t i = 0; i < images.n(); ++i) EXPECT_GE(four.success[i], one.success[i]);
  EXPECT_FALSE(toy::same_bits(one.images.pixels, four.images.pixels));
}

// One pixel at .5, on the boundary of a linear model: the prediction changes where the pixel falls.
TEST(Noise, KeepsTheWorstDrawOfEachRow) {
  const auto model = toy::linear_model(torch::tensor({{10.f}, {0.f}}), torch::tensor({0.f, 5.f}));
  Images images{"", make_array({20, 1, 1, 1}, std::vector<float>(20, .5f)), std::vector<std::int64_t>(20, 0)};
  const auto lowest = [&](double draws) {
    const AttackResult found = model->attack(
        images, {.attack = "noise", .norm = Norm::linf, .eps = .25, .parameters = {{"steps", draws}}});
    const auto pixels = found.images.pixels.view<float>();
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(pixels[i] == .25f, found.success[i] != 0);
    return std::ranges::count(pixels, .25f);
  };
  EXPECT_EQ(lowest(8), 20);
  EXPECT_GT(lowest(1), 0);
  EXPECT_LT(lowest(1), 20);
}

TEST(Attacks, RefuseRowsOfValuesTooLarge) {
  Images rows;
  rows.path = "rows.npz", rows.rank = 2;
  rows.pixels = make_array({2, 2, 1, 1}, std::vector<float>{0, 1, 1e13f, 0});
  EXPECT_REFUSED(toy::model("linear", {2, 1, 1, 2}, 2)->attack(rows, {.eps = 1}),
                 "rows.npz...numbers of at most 1e+12...1e+13...row 1...");
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

// By hand, of the logits (1, 3, 2) and the class 0: margin log(e^3 + e^2) - 1, difference 3 - 1.
TEST(Losses, AreWhatTheirNamesSay) {
  const ForwardFunction forward = [](const torch::Tensor& x) { return Forward{x.flatten(1), {}}; };
  const torch::Tensor x = torch::tensor({1.f, 3.f, 2.f}).view({1, 1, 1, 3}),
                      y = torch::zeros({1}, torch::kInt64);
  const double m = std::log(std::exp(3.) + std::exp(2.)) - 1;
  const auto value = [&](Loss loss, bool targeted) {
    const Problem problem{forward, x, y, {}, loss, targeted};
    EXPECT_EQ(margin(problem, x).success.item<bool>(), !targeted);
    return margin(problem, x).value.item<double>();
  };
  EXPECT_NEAR(value(Loss::margin, false), m, 1e-6);
  EXPECT_NEAR(value(Loss::difference, false), 2, 1e-6);
  EXPECT_NEAR(value(Loss::cross_entropy, false), std::log1p(std::exp(m)), 1e-6);
  EXPECT_NEAR(value(Loss::difference, true), -2, 1e-6);
  const Margin here = margin_with_gradient({forward, x, y, {}, Loss::difference}, x);
  EXPECT_TRUE(here.gradient.flatten().equal(torch::tensor({-1.f, 1.f, 0.f})));
}

TEST(AttackOptions, AreChecked) {
  const std::vector<std::pair<AttackOptions, std::string>> cases = {
      {{.attack = "cw"}, "found 'cw'"},
      {{.eps = -1}, "found -1"},
      {{.eps = NAN}, "found nan"},
      {{.attack = "fmn", .eps = .1}, "found eps 0.1"},
      {{.norm = Norm::l1}, "found l1"},
      {{.parameters = {{"steps", 0}}}, "found 0"},
      {{.parameters = {{"steps", 2.5}}}, "found 2.5"},
      {{.attack = "noise", .parameters = {{"gamma", 1}}}, "found 'gamma'"},
      {{.attack = "fgsm", .parameters = {{"steps", 1}}}, "found 'steps'"}};
  for (const auto& [options, found] : cases) {
    const std::string message = message_of([&] { (void)complete_attack(options); });
    EXPECT_TRUE(message.ends_with(found)) << message;
  }
}

TEST(AttackOptions, AreCompletedWithTheAttacksOwn) {
  const AttackOptions pgd = complete_attack({.parameters = {{"steps", 3}}});
  EXPECT_EQ(pgd.eps, default_eps);
  EXPECT_EQ(pgd.loss, Loss::difference);
  EXPECT_EQ(pgd.parameters, (std::map<std::string, double>{
                                {"steps", 3}, {"relative-step", 0}, {"random-start", 1}, {"restarts", 1}}));
  const AttackOptions fmn = complete_attack({.attack = "fmn", .loss = Loss::margin});
  EXPECT_FALSE(fmn.eps.has_value());
  EXPECT_EQ(fmn.loss, Loss::margin);
}

TEST(AttackLabels, AreThoseOfAllImagesOrOfNone) {
  const auto model = toy::model("linear", {1, 2, 2}, 3);
  Images images = toy::images(4, {1, 2, 2}, 3);
  images.labels->at(1) = no_label;
  EXPECT_EQ(model->outputs(images).labels, images.labels);
  EXPECT_REFUSED(model->attack(images, {}), "found 1 of 4 images without a label...");
}

TEST(AttackTargets, AreOneClassARow) {
  const auto model = toy::model("linear", {1, 2, 2}, 3);
  const Images images = toy::images(4, {1, 2, 2}, 3);
  const auto message = [&](const std::vector<std::int64_t>& targets) {
    return message_of([&] { (void)model->attack(images, {.targets = targets}); });
  };
  EXPECT_EQ(message({1, 2}), "attack: targets: expected 4, one per image, found 2");
  EXPECT_EQ(message({1, 2, 3, 0}), "attack: targets: expected classes from 0 to 2, found 3 at row 2");
}

}  // namespace leeway::nn::attack_test
