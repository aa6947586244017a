// Checks of attacks on classifiers that hide their weakness, and on an honest one, for every attack by gradients.
#include <gmock/gmock.h>

#include <cmath>
#include <memory>

#include "leeway/attack/member.h"
#include "leeway/tasks/attack/attack.h"
#include "tests/attack/toy_classifiers.h"

namespace leeway::tasks::attack_checks_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t n = 120, d = 10;

// All logits are 0 at the middle of the box: every prediction can be changed.
Classifier honest() {
  attack::toy::Linear linear = attack::toy::random_linear(d, 3, 4);
  linear.bias = {0, 0, 0};
  return linear.classifier();
}

// Of the honest one; `change` gets its logits, `factor` multiplies its gradients.
Classifier changed(const std::function<void(std::span<float>)>& change, float factor) {
  Classifier made = honest();
  made.logits = [whole = made.logits, change](std::span<const float> x) {
    std::vector<float> logits = whole(x);
    for (std::size_t i = 0; i < logits.size(); i += 3) change(std::span(logits).subspan(i, 3));
    return logits;
  };
  made.linearize = [logits = made.logits, inner = made.linearize, factor](std::span<const float> x) {
    return Linearized{logits(x), [back = inner(x).vjp, factor](std::span<const float> cotangents) {
                        std::vector<float> gradients = back(cotangents);
                        for (float& value : gradients) value *= factor;
                        return gradients;
                      }};
  };
  return made;
}

void softmax(std::span<float> logits) {
  double sum = 0;
  for (float& value : logits) sum += value = std::exp(value);
  for (float& value : logits) value = static_cast<float>(value / sum);
}

void rounded(std::span<float> logits) {
  for (float& value : logits) value = std::round(4 * value) / 4;
}

void same(std::span<float>) {}

class EveryGradientAttack : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] AttackFound found(const Classifier& classifier) const {
    attack::AttackOptions options{.attack = GetParam()};
    const attack::AttackMember& member = attack::attack_named(GetParam());
    options.norm = member.norms.front();
    if (!member.minimum_norm) options.eps = options.norm == attack::Norm::linf ? .25 : .6;
    for (const auto& [name, value] : {std::pair("queries", 100.), std::pair("searches", 5.)})
      if (std::ranges::count(member.parameters, name, &Parameter::name) > 0) options.parameters[name] = value;
    if (GetParam() == "carlini-wagner") options.parameters["steps"] = 100;
    return attack({{classifier, x_, {}, {-1, 1}}, options, true});
  }
  std::vector<float> x_ = attack::toy::random_rows(n, d, 7, -1, 1);
};

std::vector<std::string> raised(const Attack& record) {
  std::vector<std::string> names;
  for (const Check& check : record.results[0].checks)
    if (check.raised) names.push_back(check.check);
  return names;
}

TEST_P(EveryGradientAttack, RaisesNothingOnALinearModel) {
  const Attack record = found(honest()).record;
  EXPECT_THAT(raised(record), IsEmpty());
  EXPECT_GE(record.results[0].checks.size(), GetParam() == "fgsm" ? 2U : 3U);
  EXPECT_THAT(record.envelope.warnings, IsEmpty());
}

TEST_P(EveryGradientAttack, OnProbabilitiesAsksForLogits) {
  EXPECT_THAT(raised(found(changed(softmax, 1)).record), Contains("probabilities"));
}

TEST_P(EveryGradientAttack, AlongGradientsOfTheWrongSignIsWeak) {
  if (GetParam() == "strong") return;  // random starts and square break the rows
  const Attack record = found(changed(same, -1)).record;
  const bool nearest = attack::attack_named(GetParam()).minimum_norm;
  EXPECT_THAT(raised(record), Contains(nearest ? "whole-box" : "noise"));
  EXPECT_THAT(record.envelope.findings, Not(IsEmpty()));
}

TEST_P(EveryGradientAttack, WithoutGradientsWarnsOrIsBeatenByABlackBox) {
  const Attack record = found(changed(rounded, 0)).record;
  EXPECT_EQ(record.envelope.warnings.size() == 1, GetParam() != "strong");
  EXPECT_EQ(raised(record).empty(), GetParam() != "strong");
}

std::vector<std::string> gradient_attacks() {
  std::vector<std::string> names;
  for (const attack::AttackMember& member : attack::attacks())
    if (member.gradients) names.emplace_back(member.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryGradientAttack, ::testing::ValuesIn(gradient_attacks()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(AttackChecks, FindRandomOutputs) {
  const auto calls = std::make_shared<int>();
  const Classifier random =
      changed([calls](std::span<float> logits) { logits[0] += .01f * float(++*calls % 7); }, 1);
  const std::vector<float> x = attack::toy::random_rows(n, d, 7, -1, 1);
  const Attack record = attack({{random, x, {}, {-1, 1}}, {}}).record;
  EXPECT_EQ(record.results[0].stochastic->n, 16U);
  EXPECT_THAT(record.envelope.findings,
              ElementsAre(::testing::StartsWith("Two passes over the same 16 rows")));
}

// One pixel of level 100; its prediction changes at 101.25, within the radius, which has no level beyond 101.
TEST(AttackChecks, AreMadeOnTheLevelsOfTheAttack) {
  const Classifier classifier = attack::toy::Linear{1, 2, {0, 255}, {101.25, 0}}.classifier();
  const std::vector<float> x(n, 100.f / 255);
  const attack::AttackOptions options{.eps = 1.5 / 255, .levels = attack::Levels::eight_bit};
  EXPECT_THAT(
      raised(attack({{.classifier = classifier, .x = x, .picture = {1, 1, 1}}, options, true}).record),
      IsEmpty());
}

// Where some features may not change, predictions may survive any radius.
TEST(AttackChecks, DoNotAskForEveryRowWhereFeaturesAreFixed) {
  const Classifier classifier = honest();
  const std::vector<float> x = attack::toy::random_rows(n, d, 7, -1, 1);
  attack::Target target{classifier, x, {}, {-1, 1}};
  target.changeable.assign(d, 0), target.changeable[0] = 1;
  for (const char* const attack : {"pgd", "fmn"}) {
    const Attack record = tasks::attack({target, {.attack = attack}, true}).record;
    EXPECT_THAT(raised(record), IsEmpty()) << attack;
    EXPECT_LT(record.results[0].success, .9) << attack;
  }
}

// Of 20 rows the white box breaks none.
TEST(AttackChecks, CompareAttacksOfBothKinds) {
  for (const std::size_t more : {3U, 7U, 20U}) {
    attack::AttackResult white, black;
    white.options = {.attack = "pgd", .eps = .1}, black.options = {.attack = "square", .eps = .1};
    for (std::size_t i = 0; i < 20; ++i) white.success.push_back(0), black.success.push_back(i < more);
    const std::vector<attack::AttackResult> results{white, black};
    std::vector<AttackedSet> sets(2);
    compare_kinds(sets, results);
    ASSERT_EQ(sets[0].checks.size(), 1U);
    EXPECT_THAT(sets[1].checks, IsEmpty());
    EXPECT_DOUBLE_EQ(*sets[0].checks[0].p, std::pow(.5, more));
    EXPECT_EQ(sets[0].checks[0].raised, more >= 7);
  }
}

}  // namespace leeway::tasks::attack_checks_test
