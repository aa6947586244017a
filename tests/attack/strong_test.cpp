#include <gmock/gmock.h>

#include "tests/attack/toy_classifiers.h"
#include "tests/message_of.h"

namespace leeway::attack::strong_test {

const std::map<std::string, double> short_run = {{"steps", 40}, {"queries", 300}};

// The least distance to a plane where another class is as large as the predicted one.
double distance_of(const toy::Linear& model, Row x, Norm norm) {
  const Classifier classifier = model.classifier();
  const std::vector<float> logits = classifier.logits(x);
  const auto y = static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < model.k; ++j) {
    if (j == y) continue;
    std::vector<float> w(model.d);
    for (std::size_t p = 0; p < model.d; ++p) w[p] = model.w(j, p) - model.w(y, p);
    least = std::min(least, (static_cast<double>(logits[y]) - logits[j]) / norm_of(w, dual_of(norm)));
  }
  return least;
}

TEST(Strong, BreaksTheRowsWithinReachOfALinearModel) {
  constexpr std::size_t n = 24, d = 10;
  for (const std::size_t k : {2, 3, 12})
    for (const Norm norm : {Norm::linf, Norm::l2}) {
      const toy::Linear model = toy::random_linear(d, k, k);
      const std::vector<float> x = toy::random_rows(n, d, 7);
      const Classifier classifier = model.classifier();
      const double eps = norm == Norm::linf ? .08 : .2;
      const AttackResult found = run({.classifier = classifier, .x = x, .box = anywhere},
                                     {.attack = "strong", .norm = norm, .eps = eps, .parameters = short_run});
      for (std::size_t i = 0; i < n; ++i) {
        const double far = distance_of(model, Row(x).subspan(i * d, d), norm);
        if (std::abs(far - eps) > 1e-3 * eps) {
          EXPECT_EQ(found.success[i] != 0, far < eps) << k << " " << i;
        }
        if (found.success[i] != 0) {
          EXPECT_LE(found.norms[i], eps * (1 + 1e-6)) << i;
        }
      }
      ASSERT_FALSE(found.stages.empty());
      EXPECT_EQ(found.stages.front().attack, "apgd");
      EXPECT_EQ(found.stages.back().accuracy, found.robust_accuracy);
    }
}

// Logits rounded to eighths: their gradient is 0 everywhere, and square needs none.
TEST(Strong, BreaksRowsWhoseGradientsAreZero) {
  constexpr std::size_t n = 20, d = 10;
  const toy::Linear model = toy::random_linear(d, 3, 5);
  const Classifier smooth = model.classifier();
  Classifier rounded{d, 3};
  rounded.logits = [smooth](std::span<const float> x) {
    std::vector<float> logits = smooth.logits(x);
    for (float& value : logits) value = std::round(8 * value) / 8;
    return logits;
  };
  rounded.linearize = [logits = rounded.logits](std::span<const float> x) {
    return Linearized{logits(x),
                      [size = x.size()](std::span<const float>) { return std::vector<float>(size); }};
  };
  const std::vector<float> x = toy::random_rows(n, d, 8);
  const AttackResult found =
      run({.classifier = rounded, .x = x}, {.attack = "strong", .eps = .4, .parameters = short_run});
  EXPECT_EQ(found.zero_gradient, 1);
  EXPECT_FALSE(found.beside_noise);
  EXPECT_EQ(found.stages.front().accuracy, 1);
  EXPECT_LT(found.robust_accuracy, .7);
  EXPECT_REFUSED((void)run({.classifier = rounded, .x = x}, {.attack = "strong", .loss = Loss::margin}),
                 "attack strong: expected no loss...");
  EXPECT_REFUSED((void)complete({.attack = "strong", .parameters = {{"queries", 2e8}}}),
                 "attack strong: queries...");
  EXPECT_REFUSED((void)complete({.attack = "deepfool", .targets = {1}}),
                 "attack deepfool: expected no targets...");
  EXPECT_REFUSED((void)complete({.loss = Loss::dlr, .targets = {1}}),
                 "attack pgd: expected no targets with the loss dlr...");
}

}  // namespace leeway::attack::strong_test
