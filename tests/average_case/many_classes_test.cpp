// More classes than gradients are taken of: which are chosen, and what was left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/average_case/average_case.h"
#include "leeway/core/random.h"
#include "tests/average_case/classifiers.h"
#include "tests/stopping.h"

namespace leeway::average_case {
namespace {

constexpr std::size_t k = 200, d = 20, n = 6;

// Logits of deviation 2, gradients of norm near `slope`.
Quadratic many(double slope, std::uint64_t seed) {
  Quadratic model = random_linear(d, k, seed, slope / std::sqrt(double(d)));
  for (double& value : model.bias) value *= 2;
  return model;
}

struct Asked {
  AverageCase found;
  std::size_t most = 0;  // classes whose gradients were taken, of a row
};
Asked ask(const Quadratic& model, const std::vector<float>& x, const AverageCaseOptions& options) {
  const std::size_t width = model.d;
  Asked result;
  Classifier spy = model.classifier();
  spy.gradients = [&, inner = spy.gradients](std::span<const float> shown,
                                             std::span<const std::int32_t> names) {
    result.most = std::max(result.most, names.empty() ? model.k : names.size() / (shown.size() / width));
    return inner(shown, names);
  };
  result.found = average_case(spy, Noise(width), rows_of(x), 0, x.size() / width, options);
  return result;
}

AverageCaseOptions options_of(std::size_t classes, std::vector<double> sigmas) {
  AverageCaseOptions options;
  options.methods = {"taylor", "mmse"}, options.sigmas = std::move(sigmas), options.classes = classes;
  options.mvn.tolerance = 1e-3;
  return options;
}

TEST(ManyClasses, TakesAsManyAsCanMatter) {
  const std::vector<float> x = random_inputs(n, d, 1);
  std::size_t before = 0;
  for (const double slope : {.1, .3, 3.}) {
    const Quadratic model = many(slope, 1);
    const Asked some = ask(model, x, options_of(0, {.5, 1})), all = ask(model, x, options_of(k, {.5, 1}));
    EXPECT_EQ(all.most, k);
    EXPECT_GE(some.most, std::max<std::size_t>(before, 32));
    before = some.most;
    for (std::size_t c = 0; c < 4; ++c) {
      const Column &a = some.found.columns[c], &b = all.found.columns[c];
      EXPECT_EQ(b.left_out, 0);
      EXPECT_LE(a.left_out, a.estimator->name == "taylor" ? 1e-3 : .1);
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(a.p[i], b.p[i], 2e-3 + a.left_out) << slope << ' ' << a.estimator->name;
    }
  }
  EXPECT_EQ(ask(many(.1, 1), x, options_of(0, {.5})).most, 32U);
  EXPECT_EQ(before, k);
}

TEST(ManyClasses, TakesTheNumberAskedForAndSaysWhatWasLeftOut) {
  const std::vector<float> x = random_inputs(n, d, 2);
  const Quadratic model = many(.5, 2);
  const Asked all = ask(model, x, options_of(k, {.5, 3}));
  double before = 1e9;
  for (const std::size_t classes : {2, 5, 50, 199}) {
    const Asked some = ask(model, x, options_of(classes, {.5, 3}));
    EXPECT_EQ(some.most, classes);
    for (std::size_t c = 0; c < 4; ++c) {
      const Column &a = some.found.columns[c], &b = all.found.columns[c];
      EXPECT_GT(a.left_out, 0);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_GE(a.p[i], b.p[i] - 2e-3);  // classes left out can only take
        EXPECT_LE(a.p[i], b.p[i] + 2e-3 + a.left_out);
      }
    }
    EXPECT_LT(some.found.columns[0].left_out, before);
    before = some.found.columns[0].left_out;
    EXPECT_LT(some.found.columns[0].left_out, some.found.columns[1].left_out);  // of a smaller sigma
  }
  EXPECT_EQ(ask(model, x, options_of(1, {1})).most, 2U);  // the target and its rival
  EXPECT_EQ(ask(model, x, options_of(1000, {1})).most, k);
}

TEST(ManyClasses, TheTargetIsAmongThoseTaken) {
  // Among tied logits too, where it is the lowest of the first.
  Quadratic model = many(.5, 3);
  std::ranges::fill(model.bias, 0.);
  for (std::size_t i = 0; i < k; i += 2) model.bias[i] = 1;
  std::ranges::fill(model.w, 0.);
  const std::vector<float> x = random_inputs(3, d, 3);
  const AverageCase found = ask(model, x, options_of(5, {0, 1})).found;
  for (const Column& column : found.columns) EXPECT_EQ(column.p, std::vector<double>(3, 1));
  EXPECT_EQ(found.targets, std::vector<std::int32_t>(3, 0));
}

// A thousand classes in superclasses of 20, as pictures have them: rivals are near relatives, and what is far takes next to
// nothing that they leave. The number of classes is decided by what those considered take; p is that of all, and the mean to 1e-4.
TEST(ManyClassesTier2, RelativesDecideHowManyOfAThousand) {
  constexpr std::size_t classes = 1000, each = 20, width = 64, rows = 12;
  Random random(5, stream("relatives"), 0);
  Quadratic model = random_linear(width, classes, 5, 0);
  std::vector<double> family(width);
  for (std::size_t c = 0; c < classes; ++c) {
    double square = 0;
    for (std::size_t j = 0; j < width; ++j) {
      if (c % each == 0) family[j] = random.normal();
      const double value = family[j] + .35 * random.normal();
      model.w[c * width + j] = value;
      square += value * value;
    }
    model.bias[c] = -square / 2;
  }
  std::vector<float> x;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < width; ++j)
      x.push_back(static_cast<float>(model.w[(i * 83 % classes) * width + j] + .25 * random.normal()));
  AverageCaseOptions options = options_of(0, {.75}), whole = options_of(classes, {.75});
  options.methods = whole.methods = {"taylor"}, options.mvn.tolerance = whole.mvn.tolerance = 1e-4;
  const Asked some = ask(model, x, options), all = ask(model, x, whole);
  EXPECT_LE(some.most, 64U) << "the union bound alone took all";
  double mean = 0, mean_of_all = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    mean += some.found.columns[0].p[i] / rows, mean_of_all += all.found.columns[0].p[i] / rows;
    EXPECT_NEAR(some.found.columns[0].p[i], all.found.columns[0].p[i], 3e-4) << i;
  }
  EXPECT_NEAR(mean, mean_of_all, 1e-4);
  EXPECT_GT(mean, .05);
  EXPECT_LT(mean, .95);
  EXPECT_LE(some.found.columns[0].left_out, 1e-4);
}

TEST(ManyClasses, ProgressCountsPassesThatWereForeseen) {
  const std::vector<float> x = random_inputs(70, d, 9);
  AverageCaseOptions options = options_of(40, {.5, 1});
  options.methods = {"taylor", "mmse", "mc"}, options.copies = 3, options.draws = 10;
  Stopping watcher(Stopping::never);
  options.progress = &watcher;
  (void)average_case(many(.3, 9).classifier(), Noise(d), rows_of(x), 0, 70, options);
  EXPECT_EQ(watcher.tasks, std::set<std::string>{"passes"});
  EXPECT_EQ(watcher.total, 70 * (41 + 2 * 3 * 41 + 2 * 10));
  EXPECT_EQ(watcher.done, watcher.total);
}

}  // namespace
}  // namespace leeway::average_case
