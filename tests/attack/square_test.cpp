// The attacks square, hopskipjump, carlini-wagner and fmn.
#include <gmock/gmock.h>

#include "leeway/core/error.h"
#include "tests/attack/toy_classifiers.h"

namespace leeway::attack::square_test {

constexpr std::size_t d = 12, n = 20;

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
        Precision{{.attack = "carlini-wagner", .norm = Norm::l2, .parameters = slow}, 1.001},
        Precision{{.attack = "fmn", .norm = Norm::linf, .parameters = {{"steps", 1000}}}, 1.001},
        Precision{{.attack = "fmn", .norm = Norm::l2, .parameters = {{"steps", 1000}}}, 1.001},
        Precision{{.attack = "fmn", .norm = Norm::l1, .parameters = {{"steps", 1000}}}, 1.001}}) {
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
  const AttackOptions options{.attack = "hopskipjump", .norm = Norm::l2, .parameters = {{"steps", 3}}};
  EXPECT_EQ(run({.classifier = decisions, .x = x}, options).x,
            run({.classifier = linear, .x = x}, options).x);
}

}  // namespace leeway::attack::square_test
