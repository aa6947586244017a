// The attacks square, hopskipjump and carlini-wagner.
#include <gmock/gmock.h>

#include "leeway/core/error.h"
#include "tests/attack/toy_classifiers.h"

namespace leeway::attack::square_test {

constexpr std::size_t d = 12, n = 20;

// An attack with parameters that make it fast.
struct Case {
  std::string attack;
  Norm norm;
  std::map<std::string, double> parameters;
  bool minimum_norm = true;

  [[nodiscard]] AttackOptions options(double eps = .05) const {
    AttackOptions made{.attack = attack, .norm = norm, .parameters = parameters};
    if (!minimum_norm) made.eps = eps;
    return made;
  }
};
const Case every_case[] = {
    {"square", Norm::linf, {{"queries", 100}}, false},
    {"square", Norm::l2, {{"queries", 100}}, false},
    {"hopskipjump", Norm::linf, {{"steps", 3}}},
    {"hopskipjump", Norm::l2, {{"steps", 3}}},
    {"carlini-wagner", Norm::l2, {{"steps", 100}, {"searches", 3}, {"first-constant", 1}}}};

class Members : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Members, testing::ValuesIn(every_case), [](const auto& one) {
  std::string name = one.param.attack + "_" + std::string(name_of(one.param.norm));
  std::ranges::replace(name, '-', '_');
  return name;
});

// Its classes meet at the middle of the box.
toy::Linear centered_linear(std::size_t k) {
  toy::Linear made = toy::random_linear(d, k, 5);
  for (std::size_t j = 0; j < k; ++j)
    for (std::size_t p = 0; p < d; ++p) made.bias[j] -= made.w(j, p) / 2;
  return made;
}

std::vector<double> distances(const toy::Linear& model, const std::vector<float>& x, Norm norm) {
  std::vector<double> found;
  for (std::size_t i = 0; i < x.size() / model.d; ++i)
    found.push_back(toy::distance_to_plane(model, Row(x).subspan(i * model.d, model.d), norm));
  return found;
}

// Of two classes, 12 values, no box. Rows stop at a success; others come within `least` of the worst case.
void expect_near_worst_case(const AttackOptions& options, double least, Picture picture = {}) {
  const toy::Linear model = toy::random_linear(d, 2, 3);
  const std::vector<float> x = toy::random_rows(n, d, 4);
  const Classifier classifier = model.classifier();
  const AttackResult found =
      run({.classifier = classifier, .x = x, .box = anywhere, .picture = picture}, options);
  const double eps = options.eps.value();
  const std::vector<double> before = distances(model, x, options.norm),
                            after = distances(model, found.x, options.norm);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_LE(distance(Row(found.x).subspan(i * d, d), Row(x).subspan(i * d, d), options.norm), eps);
    if (found.success[i] != 0) {
      EXPECT_LT(before[i], eps) << i;
    } else {
      EXPECT_GE((before[i] - after[i]) / eps, least) << i;
    }
  }
}

TEST(Square, ComesNearTheWorstCaseOfLinearModels) {
  expect_near_worst_case(
      {.attack = "square", .norm = Norm::linf, .eps = .01, .parameters = {{"queries", 1000}}}, .9999);
  const std::map<std::string, double> restarted = {{"queries", 1000}, {"restarts", 20}};
  expect_near_worst_case({.attack = "square", .norm = Norm::l2, .eps = .01, .parameters = restarted}, .9);
}

TEST(Square, TakesPicturesOfAnyShape) {
  for (const Picture picture : {Picture{1, 3, 4}, Picture{3, 2, 2}, Picture{12, 1, 1}, Picture{1, 12, 1}}) {
    expect_near_worst_case(
        {.attack = "square", .norm = Norm::linf, .eps = .01, .parameters = {{"queries", 2000}}}, .9, picture);
    expect_near_worst_case(
        {.attack = "square", .norm = Norm::l2, .eps = .01, .parameters = {{"queries", 100}}}, .1, picture);
  }
  EXPECT_THROW(expect_near_worst_case({.attack = "square", .eps = .01}, 0, {3, 2, 3}), Error);
}

struct Precision {
  AttackOptions options;
  double most;  // times the distance
};

TEST(MinimumNorm, ComesNearTheDistanceToThePlane) {
  const toy::Linear model = toy::random_linear(d, 2, 3);
  const std::vector<float> x = toy::random_rows(n, d, 4);
  const Classifier classifier = model.classifier();
  const std::map<std::string, double> steps = {{"steps", 16}};  // about 5,000 queries
  const std::map<std::string, double> slow = {
      {"steps", 2000}, {"searches", 6}, {"step", .001}, {"first-constant", .1}};
  for (const auto& [options, most] :
       {Precision{{.attack = "hopskipjump", .norm = Norm::linf, .parameters = steps}, 1.03},
        Precision{{.attack = "hopskipjump", .norm = Norm::l2, .parameters = steps}, 1.02},
        Precision{{.attack = "carlini-wagner", .norm = Norm::l2, .parameters = slow}, 1.001}}) {
    const AttackResult found = run({.classifier = classifier, .x = x, .box = anywhere}, options);
    const std::vector<double> far = distances(model, x, options.norm);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GE(found.norms[i], far[i] * (1 - 1e-5)) << options.attack << i;
      EXPECT_LE(found.norms[i], far[i] * most) << options.attack << i;
    }
  }
}

TEST(CarliniWagner, ReachesTheConfidence) {
  const toy::Linear model = toy::random_linear(d, 2, 3);
  const std::vector<float> x = toy::random_rows(n, d, 4);
  const Classifier classifier = model.classifier();
  const AttackResult found =
      run({.classifier = classifier, .x = x, .box = anywhere},
          {.attack = "carlini-wagner", .norm = Norm::l2, .parameters = {{"steps", 300}, {"confidence", .5}}});
  const std::vector<float> logits = classifier.logits(found.x);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(std::abs(logits[2 * i] - logits[2 * i + 1]), .5, .05) << i;
}

TEST(HopSkipJump, UsesNothingButPredictedClasses) {
  const std::vector<float> x = toy::random_rows(n, d, 4);
  const Classifier linear = centered_linear(3).classifier();
  Classifier decisions{d, 3};
  decisions.logits = [&](std::span<const float> rows) {
    std::vector<float> logits = linear.logits(rows);
    for (std::size_t i = 0; i < logits.size(); i += 3) {
      const MutableRow row = MutableRow(logits).subspan(i, 3);
      const auto predicted = std::ranges::max_element(row) - row.begin();
      std::ranges::fill(row, 0.f);
      row[static_cast<std::size_t>(predicted)] = 1;
    }
    return logits;
  };
  const AttackOptions options = every_case[3].options();
  EXPECT_EQ(run({.classifier = decisions, .x = x}, options).x,
            run({.classifier = linear, .x = x}, options).x);
}

TEST_P(Members, KeepTheBoxAndRepeatTheirBits) {
  for (const std::size_t k : {2, 3}) {
    const Classifier classifier = centered_linear(k).classifier();
    const std::vector<float> x = toy::random_rows(n, d, 6), first(x.begin(), x.begin() + d);
    const AttackResult found = run({.classifier = classifier, .x = x}, GetParam().options(.3));
    EXPECT_THAT(found.x, testing::Each(testing::AllOf(testing::Ge(0.f), testing::Le(1.f))));
    EXPECT_GT(std::ranges::count(found.success, 1), 5);
    EXPECT_EQ(run({.classifier = classifier, .x = x}, GetParam().options(.3)).x, found.x);
    const AttackResult alone = run({.classifier = classifier, .x = first}, GetParam().options(.3));
    EXPECT_EQ(alone.x, std::vector<float>(found.x.begin(), found.x.begin() + d));
  }
}

TEST_P(Members, TakeRowsThatCannotSucceed) {
  const Classifier classifier = toy::Linear{d, 3, std::vector<float>(3 * d), {1, 0, 0}}.classifier();
  const std::vector<float> x = toy::random_rows(n, d, 6);
  const AttackResult found = run({.classifier = classifier, .x = x}, GetParam().options());
  EXPECT_EQ(found.robust_accuracy, 1);
  EXPECT_THAT(found.norms, testing::Each(std::numeric_limits<double>::infinity()));
  if (GetParam().minimum_norm) {
    EXPECT_EQ(found.x, x);
  }
}

TEST_P(Members, LeaveMisclassifiedRows) {
  const Classifier classifier = centered_linear(3).classifier();
  const std::vector<float> x = toy::random_rows(n, d, 6);
  std::vector<std::int64_t> wrong = run({.classifier = classifier, .x = x}, {.eps = 0}).classes;
  for (std::int64_t& label : wrong) label = (label + 1) % 3;
  const AttackResult found = run({.classifier = classifier, .x = x, .labels = wrong}, GetParam().options());
  EXPECT_THAT(found.success, testing::Each(1));
  EXPECT_EQ(found.x, x);
}

TEST_P(Members, ReachTargets) {
  const Classifier classifier = centered_linear(3).classifier();
  const std::vector<float> x = toy::random_rows(n, d, 6);
  AttackOptions options = GetParam().options(3);
  options.targets = run({.classifier = classifier, .x = x}, {.eps = 0}).classes;
  for (std::int64_t& target : options.targets) target = (target + 1) % 3;
  const AttackResult found = run({.classifier = classifier, .x = x, .box = anywhere}, options);
  EXPECT_GE(std::ranges::count(found.success, 1), 19);
}

TEST(Square, StaysAtRadiusZero) {
  const Classifier classifier = centered_linear(2).classifier();
  const std::vector<float> x = toy::random_rows(n, d, 6);
  for (const Case& one : {every_case[0], every_case[1]})
    EXPECT_EQ(run({.classifier = classifier, .x = x}, one.options(0)).x, x);
}

}  // namespace leeway::attack::square_test
