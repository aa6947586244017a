// What holds for every attack, and closed forms of attacks on linear models inside the box.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "leeway/attack/member.h"
#include "tests/at_threads.h"
#include "tests/attack/toy_classifiers.h"
#include "tests/case_name.h"
#include "tests/message_of.h"

namespace leeway::attack::members_test {

using Classes = std::vector<std::int64_t>;

bool same_bits(Row a, Row b) { return std::ranges::equal(std::as_bytes(a), std::as_bytes(b)); }

Row row_of(std::span<const float> x, std::size_t i, std::size_t d) { return x.subspan(i * d, d); }

Classes predictions(const Classifier& classifier, std::span<const float> x) {
  const std::vector<float> logits = classifier.logits(x);
  Classes predicted;
  for (std::size_t i = 0; i < logits.size() / classifier.k; ++i) {
    const Row row = row_of(logits, i, classifier.k);
    predicted.push_back(std::ranges::max_element(row) - row.begin());
  }
  return predicted;
}

Classes random_labels(std::size_t n, std::size_t k) {
  Random random(5, stream("labels"));
  Classes labels(n);
  for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random.below(k));
  return labels;
}

// A linear model whose logits are all equal at the middle of the box, without rounding.
toy::Linear centered(std::size_t d, std::size_t k, std::uint64_t seed) {
  toy::Linear model = toy::random_linear(d, k, seed);
  for (float& weight : model.weight) weight = std::round(weight * 64) / 64;
  for (std::size_t j = 0; j < k; ++j) {
    const Row weights = row_of(model.weight, j, d);
    model.bias[j] = -.5f * std::accumulate(weights.begin(), weights.end(), 0.f);
  }
  return model;
}

struct Case {
  std::string attack;
  Norm norm;

  // With the radius, if the attack has one, and those numbers that are parameters of the attack.
  [[nodiscard]] AttackOptions options(double eps, const std::map<std::string, double>& numbers) const {
    const AttackMember& member = attack_named(attack);
    AttackOptions options{.attack = attack, .norm = norm};
    if (!member.minimum_norm) options.eps = eps;
    for (const auto& [name, value] : numbers)
      if (std::ranges::count(member.parameters, name, &Parameter::name) > 0) options.parameters[name] = value;
    return options;
  }
};

std::string name_of(const Case& one) { return one.attack + "_" + std::string(attack::name_of(one.norm)); }

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const AttackEntry& member : entries())
    for (const Norm norm : member.norms) cases.push_back({std::string(member.name), norm});
  return cases;
}

// --- Every member, on a linear model of three classes.

class EveryAttack : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr std::size_t n = 150, d = 16;

  [[nodiscard]] static double wide() { return GetParam().norm == Norm::linf ? 1 : 6; }

  Classifier classifier_ = centered(d, 3, 4).classifier();
  std::vector<float> x_ = toy::random_rows(n, d, 5);
  Classes labels_ = random_labels(n, 3), clean_ = predictions(classifier_, x_);
};

TEST_P(EveryAttack, KeepsItsPromises) {
  const AttackOptions options = GetParam().options(GetParam().norm == Norm::linf ? .05 : .3, {{"steps", 5}});
  const AttackResult found = run({classifier_, x_, labels_}, options);
  const Classes predicted = predictions(classifier_, found.x);
  double fallen = 0, right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool misclassified = clean_[i] != labels_[i], success = found.success[i] != 0;
    const Row before = row_of(x_, i, d), after = row_of(found.x, i, d);
    const double moved = distance(after, before, GetParam().norm);
    EXPECT_EQ(success, predicted[i] != labels_[i]);
    EXPECT_EQ(found.norms[i], success ? moved : INFINITY);
    EXPECT_TRUE(success || !misclassified) << "a misclassified row stays misclassified";
    for (const float value : after) EXPECT_TRUE(value >= 0 && value <= 1) << value;
    if (options.eps) {
      EXPECT_LE(moved, *options.eps);
    } else {
      EXPECT_EQ(found.norms[i] == 0, misclassified);
      EXPECT_EQ(same_bits(before, after), misclassified || !success);
    }
    fallen += success, right += !misclassified;
  }
  EXPECT_NEAR(found.robust_accuracy, 1 - fallen / n, 1e-12);
  EXPECT_DOUBLE_EQ(found.clean_accuracy, right / n);
  EXPECT_GT(fallen, n - right) << "the attack found nothing";
  EXPECT_EQ(found.classes, labels_);
  EXPECT_TRUE(found.labelled);
  EXPECT_EQ(found.zero_gradient, attack_named(options.attack).gradients ? std::optional(0.) : std::nullopt);
  EXPECT_FALSE(found.beside_noise.has_value());
}

// For any number of threads and of rows at once, and of the first rows alone.
TEST_P(EveryAttack, HasTheSameBits) {
  const AttackOptions options = GetParam().options(.1, {{"steps", 3}, {"restarts", 2}, {"queries", 100}});
  const auto found = [&](int threads, std::size_t rows_at_once, std::size_t rows) {
    classifier_.rows_at_once = rows_at_once, classifier_.reentrant = threads > 1;
    return at_threads(threads, [&] { return run({classifier_, Row(x_).first(rows * d)}, options); });
  };
  const AttackResult one = found(1, 256, n);
  for (const AttackResult& other : {found(2, 64, n), found(7, 1, n), found(2, 256, 70)}) {
    EXPECT_TRUE(same_bits(other.x, Row(one.x).first(other.x.size())));
    EXPECT_TRUE(std::ranges::equal(other.norms, std::span(one.norms).first(other.norms.size())));
  }
}

// Without labels the predictions on the clean rows are attacked: all are "right" before.
TEST_P(EveryAttack, AttacksPredictionsWhereThereAreNoLabels) {
  const AttackResult found = run({classifier_, x_}, GetParam().options(wide(), {{"steps", 8}}));
  EXPECT_FALSE(found.labelled);
  EXPECT_EQ(found.clean_accuracy, 1);
  EXPECT_EQ(found.classes, clean_);
  EXPECT_LT(found.robust_accuracy, 1);
}

// Of constant logits, and of a radius of 0; several rows, and one.
TEST_P(EveryAttack, LeavesRowsThatCannotSucceed) {
  const Classifier constant = toy::Linear{d, 3, std::vector<float>(3 * d), {1, 0, 0}}.classifier();
  for (const std::size_t rows : {1, 4}) {
    const Row x = Row(x_).first(rows * d);
    const AttackResult found = run({constant, x}, GetParam().options(.3, {{"steps", 12}, {"queries", 100}}));
    const bool gradients = attack_named(GetParam().attack).gradients;
    EXPECT_EQ(found.zero_gradient, gradients ? std::optional(1.) : std::nullopt);
    EXPECT_EQ(found.robust_accuracy, 1);
    EXPECT_THAT(found.norms, ::testing::Each(INFINITY));
    if (!found.options.eps) continue;
    EXPECT_TRUE(same_bits(run({classifier_, x}, GetParam().options(0, {{"queries", 100}})).x, x));
  }
}

TEST_P(EveryAttack, ReachesTheTargetsThatItSaysItReaches) {
  AttackOptions options = GetParam().options(wide(), {{"steps", 8}});
  for (const std::int64_t y : labels_) options.targets.push_back((y + 1) % 3);
  AttackResult found;
  const std::string message = message_of([&] { found = run({classifier_, x_, labels_}, options); });
  if (message != "no error") {
    EXPECT_THAT(message, ::testing::HasSubstr("target")) << "it has no form for targets";
    return;
  }
  const Classes predicted = predictions(classifier_, found.x);
  double reached = 0, right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(found.success[i] != 0, predicted[i] == options.targets[i]);
    EXPECT_TRUE(found.success[i] != 0 || clean_[i] != options.targets[i]);
    reached += found.success[i], right += predicted[i] == labels_[i];
  }
  EXPECT_GT(reached, 0);
  EXPECT_DOUBLE_EQ(found.robust_accuracy, right / n);
}

INSTANTIATE_TEST_SUITE_P(All, EveryAttack, ::testing::ValuesIn(every_case()), case_name);

// --- Closed forms: of two classes, the difference of the logits is linear.

// From a row of class y to the other class: how much each value raises the difference, how far it can move.
struct Slope {
  std::vector<float> slopes, room;
  double gap;  // F_y minus the other logit

  Slope(const toy::Linear& model, Row x, std::size_t y) : gap(model.bias[y] - model.bias[1 - y]) {
    for (std::size_t j = 0; j < model.d; ++j) {
      slopes.push_back(model.w(1 - y, j) - model.w(y, j));
      gap -= static_cast<double>(slopes[j]) * x[j];
    }
    room = room_along(x, slopes, {});
    for (float& slope : slopes) slope = std::abs(slope);
  }

  // The largest rise of the difference. l1: the steepest values first; l0: those that gain most.
  [[nodiscard]] double gain(Norm norm, double radius) const {
    std::vector<std::pair<double, double>> rates;  // gain per length, longest move
    const double t = norm == Norm::l2 ? reach(slopes, room, radius) : 0;
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      const double slope = slopes[j], most = room[j];
      if (norm == Norm::linf) rates.emplace_back(slope, std::min(most, radius));
      if (norm == Norm::l2) rates.emplace_back(slope, std::min(most, t * slope));
      if (norm == Norm::l1) rates.emplace_back(slope, most);
      if (norm == Norm::l0) rates.emplace_back(slope * most, 1);
    }
    std::ranges::sort(rates, std::greater<>());
    double left = norm == Norm::l1 ? radius : norm == Norm::l0 ? std::floor(radius) : INFINITY, total = 0;
    for (const auto& [rate, most] : rates) {
      const double length = std::min(left, most);
      total += rate * length, left -= length;
    }
    return total;
  }

  // The smallest norm that closes the gap; infinity where the other class is not in the box.
  [[nodiscard]] double least_norm(Norm norm) const {
    double low = 0, high = static_cast<double>(slopes.size());
    if (gain(norm, high) < gap) return INFINITY;
    for (int step = 0; step < 100; ++step)
      (gain(norm, (low + high) / 2) < gap ? low : high) = (low + high) / 2;
    return high;
  }
};

class WorstCase : public ::testing::TestWithParam<Case> {};

TEST_P(WorstCase, OfLinearModelsInTheBoxIsReached) {
  const toy::Linear model = toy::random_linear(20, 2, 11);
  const Classifier classifier = model.classifier();
  const std::vector<float> x = toy::random_rows(40, 20, 3);
  const Classes labels = random_labels(40, 2);
  for (const double eps : {.01, .1, .5, 2.}) {
    // on the sphere every step halves what is missing in direction
    const AttackResult found =
        run({classifier, x, labels}, GetParam().options(eps, {{"steps", 60}, {"relative-step", 1}}));
    for (std::size_t i = 0; i < 40; ++i) {
      const auto y = static_cast<std::size_t>(labels[i]);
      const double worst = Slope(model, row_of(x, i, 20), y).gain(GetParam().norm, eps) -
                           Slope(model, row_of(x, i, 20), y).gap;
      EXPECT_NEAR(-Slope(model, row_of(found.x, i, 20), y).gap, worst, 3e-6 * (1 + eps)) << i << " " << eps;
      EXPECT_TRUE((found.success[i] != 0) == (worst > 0) || std::abs(worst) < 1e-3) << i << " " << eps;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FixedBudget, WorstCase,
                         ::testing::Values(Case{"pgd", Norm::linf}, Case{"pgd", Norm::l2},
                                           Case{"fgsm", Norm::linf}, Case{"fgsm", Norm::l2}),
                         case_name);

class Fmn : public ::testing::TestWithParam<Norm> {
 protected:
  [[nodiscard]] static AttackOptions options(double steps) {
    return {.attack = "fmn", .norm = GetParam(), .parameters = {{"steps", steps}}};
  }
  toy::Linear model_ = centered(20, 2, 11);
  std::vector<float> x_ = toy::random_rows(60, 20, 3);
};

TEST_P(Fmn, FindsTheLeastNormInsideTheBox) {
  AttackOptions long_way = options(300);
  if (GetParam() == Norm::l0) long_way.parameters["step"] = 10, long_way.parameters["last-step"] = .1;
  const AttackResult found = run({model_.classifier(), x_}, long_way);
  std::size_t boxed = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const Row x = row_of(x_, i, 20);
    const double least = Slope(model_, x, static_cast<std::size_t>(found.classes[i])).least_norm(GetParam());
    boxed += least > (GetParam() == Norm::l0 ? 1 : 1.001 * toy::distance_to_plane(model_, x, GetParam()));
    EXPECT_GE(found.norms[i], least * (1 - 1e-4) - 2e-6) << i;
    EXPECT_LE(found.norms[i], least * 1.01) << i;
  }
  EXPECT_GT(boxed, 3U) << "the box changes the distance of some rows";
}

// In the middle of the box both logits are equal: the loss is 0 and no estimate of the distance.
TEST_P(Fmn, LeavesTheBoundaryItself) {
  const AttackResult found = run({model_.classifier(), std::vector<float>(20, .5f)}, options(100));
  EXPECT_LE(found.norms[0], GetParam() == Norm::l0 ? 1 : .01);
}

TEST_P(Fmn, FailsWhereTheBoundaryIsOutsideTheBox) {
  model_.bias = {1000, 0};
  const AttackResult found = run({model_.classifier(), x_}, options(20));
  EXPECT_EQ(found.norms, std::vector<double>(60, INFINITY));
  EXPECT_TRUE(same_bits(found.x, x_));
  EXPECT_EQ(found.robust_accuracy, 1);
}

// Row 0, whose second value is 0, has a gradient of 0: it stays, without a division by 0; row 1 is found.
TEST_P(Fmn, StaysWhereTheGradientIsZero) {
  const auto forward = [](Row x) { return std::vector<float>{.75f, x[1] * x[0]}; };
  const auto backward = [](Row x, Row by) { return std::vector<float>{by[1] * x[1], 0}; };
  const Classifier classifier = toy::classifier({2, 2, forward, backward});
  const Points clean{2, 2, {.5f, 0, .5f, 1}};
  const Classes targets{0, 0};
  const std::vector<std::uint64_t> keys{0, 1};
  const Attacked found =
      attack_named("fmn").run({classifier, clean, targets, keys, Loss::difference}, complete(options(60)));
  EXPECT_TRUE(same_bits(found.x.row(0), clean.row(0)));
  EXPECT_GT(found.x.row(1)[0], .75);
  EXPECT_LE(found.x.row(1)[0], GetParam() == Norm::l0 ? 1 : .76);
  EXPECT_THAT(found.zero_gradient, ::testing::ElementsAre(1, 0));
}

INSTANTIATE_TEST_SUITE_P(Norms, Fmn, ::testing::ValuesIn(every_norm), case_name);

// --- Other facts of single members.

// Logits of +-1e4, boundary at x_0 = .5: the gradient of the cross-entropy is 0, that of the difference not.
TEST(Pgd, AttacksSaturatedModels) {
  const Classifier classifier = toy::Linear{2, 2, {1e4f, 0, -1e4f, 0}, {0, 1e4f}}.classifier();
  const auto attacked = [&](const AttackOptions& options) {
    return run({classifier, std::vector<float>{.6f, .5f}, Classes{0}}, options);
  };
  EXPECT_EQ(attacked({.eps = .15}).success[0], 1);
  EXPECT_EQ(attacked({.eps = .09}).success[0], 0);
  AttackOptions from_x{.eps = .09, .parameters = {{"random-start", 0}}};
  EXPECT_EQ(attacked(from_x).zero_gradient, 0);
  from_x.loss = Loss::cross_entropy;
  EXPECT_EQ(attacked(from_x).zero_gradient, 1);
}

TEST(Pgd, MoreRestartsNeverFindLess) {
  const Classifier classifier = centered(16, 3, 4).classifier();
  const std::vector<float> x = toy::random_rows(100, 16, 9);
  AttackOptions options{.eps = .1, .parameters = {{"steps", 2}, {"relative-step", .2}}};
  const AttackResult one = run({classifier, x}, options);
  options.parameters["restarts"] = 4;
  const AttackResult four = run({classifier, x}, options);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_GE(four.success[i], one.success[i]);
  EXPECT_FALSE(same_bits(one.x, four.x));
}

// One value at .5, on the boundary: the prediction changes where the value falls.
TEST(Noise, KeepsTheWorstDrawOfEachRow) {
  const Classifier classifier = toy::Linear{1, 2, {10, 0}, {0, 5}}.classifier();
  const auto lowest = [&](double draws) {
    const AttackResult found = run({classifier, std::vector<float>(20, .5f), Classes(20, 0)},
                                   {.attack = "noise", .eps = .25, .parameters = {{"steps", draws}}});
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(found.x[i] == .25f, found.success[i] != 0);
    return std::ranges::count(found.x, .25f);
  };
  EXPECT_EQ(lowest(8), 20);
  EXPECT_GT(lowest(1), 0);
  EXPECT_LT(lowest(1), 20);
}

}  // namespace leeway::attack::members_test
