// Linear models, where the probability is known: every estimator through average_case().
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/average_case/average_case.h"
#include "leeway/core/random.h"
#include "tests/average_case/classifiers.h"
#include "tests/stopping.h"

namespace leeway::average_case::linear_models_test {

constexpr double tight = 1e-6;

AverageCaseOptions options_of(std::vector<std::string_view> methods, std::vector<double> sigmas) {
  AverageCaseOptions options;
  options.methods = std::move(methods), options.sigmas = std::move(sigmas);
  options.mvn.tolerance = tight;
  return options;
}

// Of independent normal logits of means f and deviations s:
//   p = integral phi(u) prod_i Phi((f_t + s_t u - f_i) / s_i) du
double independent_probability(const std::vector<double>& f, const std::vector<double>& s, std::size_t t) {
  return normal_mean([&](double u) {
    double product = 1;
    for (std::size_t i = 0; i < f.size(); ++i)
      if (i != t) product *= phi((f[t] + s[t] * u - f[i]) / s[i]);
    return product;
  });
}

// f = a_i x_i + bias_i.
Quadratic diagonal(const std::vector<double>& a, std::vector<double> bias) {
  const std::size_t d = a.size();
  Quadratic model{d, d, std::vector<double>(d * d, 0), std::move(bias), {}};
  for (std::size_t i = 0; i < d; ++i) model.w[i * d + i] = a[i];
  return model;
}

const std::vector<double> sigmas = {.1, .5, 2, 10};

TEST(LinearModels, OfIndependentLogitsAreExact) {
  for (const std::vector<double>& a :
       {std::vector<double>{1, 1, 1}, {1, 2, .5, 3}, {-1, 1, 1, -2, 1, 1, .5, 1, 4, 1}}) {
    const std::size_t k = a.size(), n = 4;
    std::vector<double> bias(k);
    for (std::size_t i = 0; i < k; ++i) bias[i] = std::sin(double(i));
    const Quadratic model = diagonal(a, bias);
    const std::vector<float> x = random_inputs(n, k, k);
    // Under C = diag(1/a^2) all logits have the same variance.
    std::vector<double> variances;
    for (const double slope : a) variances.push_back(1 / (slope * slope));
    for (const bool isotropic : {true, false}) {
      const Noise noise =
          isotropic ? Noise(k) : Noise(k, noise_kind("gaussian"), make_array<double>({k}, variances));
      const AverageCase found = run(model, x, options_of({"taylor", "mmse"}, sigmas), noise);
      for (const Column& column : found.columns)
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<double> f, s;
          for (std::size_t c = 0; c < k; ++c) {
            f.push_back(model.logit(std::span(x).subspan(i * k, k), c));
            s.push_back(column.sigma * (isotropic ? std::abs(a[c]) : 1));
          }
          EXPECT_NEAR(column.p[i], independent_probability(f, s, static_cast<std::size_t>(found.targets[i])),
                      tight + 1e-6)
              << column.estimator->name << ' ' << column.sigma << ' ' << k << isotropic;
        }
    }
  }
}

// Independent copies move every boundary by chance, less the more there are. Centred ones leave p exact.
TEST(LinearModels, CopiesAsPublishedAreOffByChance) {
  const Quadratic model = random_linear(20, 4, 5, .4);
  const std::vector<float> x = random_inputs(60, 20, 5);
  const auto mean_error = [&](CopyDraws draws, std::size_t copies) {
    AverageCaseOptions options = options_of({"taylor", "mmse"}, {1});
    options.mvn.tolerance = 1e-5;
    options.copies = copies, options.copy_draws = draws;
    const AverageCase found = run(model, x, options);
    double sum = 0;
    for (std::size_t i = 0; i < 60; ++i) sum += std::abs(found.columns[0].p[i] - found.columns[1].p[i]) / 60;
    return sum;
  };
  for (const std::size_t copies : {2, 5, 300})
    EXPECT_LT(mean_error(CopyDraws::centred, copies), 2e-5) << copies;
  const double five = mean_error(CopyDraws::as_published, 5), many = mean_error(CopyDraws::as_published, 80);
  EXPECT_GT(five, .04);
  EXPECT_LT(five, .16);
  EXPECT_NEAR(many / five, .25, .1);  // as 1 / sqrt(N)
}

TEST(LinearModels, MonteCarloIntervalsHoldTheProbability) {
  const std::size_t n = 100;
  const Quadratic model = random_linear(4, 5, 4);
  const std::vector<float> x = random_inputs(n, 4, 4);
  AverageCaseOptions options = options_of({"taylor", "mc"}, {.3, 1});
  options.draws = 2000, options.level = .9, options.mvn.tolerance = 1e-4;
  const AverageCase found = run(model, x, options);
  for (const std::size_t sigma : {0, 1}) {
    const Column &exact = found.columns[sigma], &mc = found.columns[2 + sigma];
    std::size_t outside = 0;
    for (std::size_t i = 0; i < n; ++i) {
      outside += exact.p[i] < mc.low[i] || exact.p[i] > mc.high[i];
      EXPECT_EQ(mc.draws[i], 2000U);
      EXPECT_NEAR(mc.p[i], exact.p[i], 5 * std::sqrt(exact.p[i] * (1 - exact.p[i]) / 2000) + 1e-3);
    }
    EXPECT_LE(outside, 10 + 3 * 3);  // 10% of 100, within 3 standard deviations of the binomial
  }
}

TEST(LinearModels, UniformAndLaplaceNoiseInManyDimensionsIsNearlyNormal) {
  // Lemma 2. The distribution functions of symmetric sums differ by a multiple of excess kurtosis / d: below .001.
  const std::size_t d = 400, n = 1;
  const Quadratic model = random_linear(d, 3, 5, .1);
  const std::vector<float> x = random_inputs(n, d, 5);
  AverageCaseOptions options = options_of({"taylor", "mc"}, {1.});
  options.draws = 20000;
  for (const NoiseKind& member : noises()) {
    const AverageCase found = run(model, x, options, Noise(d, member));
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(found.columns[0].p[i], found.columns[1].p[i], 4 * .5 / std::sqrt(20000.) + .001)
          << member.name;
  }
  // In one dimension it is not: f = (x, 0) at x = 1.5: uniform noise of deviation 1 flips it where sqrt 3 v < -1.5.
  const Quadratic flat{1, 2, {1, 0}, {0, 0}, {}};
  const AverageCase found = run(flat, {1.5F}, options, Noise(1, noise_kind("uniform")));
  EXPECT_NEAR(found.columns[0].p[0], phi(1.5), 1e-6);
  EXPECT_NEAR(found.columns[1].p[0], .5 + 1.5 / std::sqrt(12.), .005);
}

TEST(LinearModels, ScoresByHand) {
  // f = (2 x_1, x_2, 0) at (1, 1): margins 1 and 2 along (2,-1) and (2,0): z = 1/sqrt 5 and 1.
  const Quadratic model{2, 3, {2, 0, 0, 1, 0, 0}, {0, 0, 0}, {}};
  AverageCaseOptions options = options_of({"taylor-mvs", "mmse-mvs", "softmax"}, {.5, 2});
  options.temperature = 2;
  const AverageCase found = run(model, {1, 1}, options);
  for (const std::size_t s : {0, 1}) {
    const double sigma = options.sigmas[s];
    const double expected = 1 / (1 + std::exp(-1 / std::sqrt(5.) / sigma) + std::exp(-1 / sigma));
    EXPECT_NEAR(found.columns[s].p[0], expected, 1e-12);
    EXPECT_NEAR(found.columns[2 + s].p[0], expected, 1e-6);
    EXPECT_NEAR(found.columns[4 + s].p[0], 1 / (1 + std::exp(-.5) + std::exp(-1.)), 1e-12);
  }
  EXPECT_EQ(found.targets, std::vector<std::int32_t>{0});
  EXPECT_NEAR(found.confidence[0], 1 / (1 + std::exp(-1.) + std::exp(-2.)), 1e-12);
}

// A flat boundary does not make the estimators exact (compare Han et al. 2024, propositions 1 and 2). With noise of variance
// sigma^2 / d and y_i = u_i' x standard normal, f_t - f_1 = y_1 + 1.5 and f_t - f_2 = y_2^2 + y_2 + 1/2 > 1/4: the truth is
// Phi(1.5) = .933. The nearest linear functions are y_1 + 1.5 and y_2 + 1.5: Phi(1.5)^2 = .871. The tangents at x = 0
// are y_1 + 1.5 and y_2 + 1/2: Phi(1.5) Phi(.5) = .645.
TEST(QuadraticBoundaries, OneFlatBoundaryMakesNoEstimatorExact) {
  const std::size_t d = 400;
  const double norm = std::sqrt(double(d));
  Quadratic model{d, 3, std::vector<double>(3 * d, 0), {0, -1.5, -.5}, std::vector<double>(3 * d, 0)};
  model.w[1 * d + 0] = -norm, model.w[2 * d + 1] = -norm, model.curvature[2 * d + 1] = -double(d);
  AverageCaseOptions options = options_of({"mc", "mmse", "taylor"}, {1 / norm});
  options.draws = 20000, options.copies = 1000, options.level = .999;
  const AverageCase found = run(model, std::vector<float>(d, 0), options);
  const double low = found.columns[0].low[0], mmse = found.columns[1].p[0];
  EXPECT_EQ(found.targets[0], 0);
  EXPECT_LE(low, phi(1.5));
  EXPECT_GE(found.columns[0].high[0], phi(1.5));
  EXPECT_NEAR(mmse, phi(1.5) * phi(1.5), .01);
  EXPECT_NEAR(found.columns[2].p[0], phi(1.5) * phi(.5), 1e-6);
  EXPECT_GT(low, mmse + .04);
}

TEST(LinearModels, ConstantLogitsAndSigmaZeroOrHuge) {
  const std::vector<float> x = random_inputs(3, 2, 6);
  for (const bool tied : {true, false}) {
    const Quadratic constant{2, 3, std::vector<double>(6, 0), {1, tied ? 1. : .5, 0}, {}};
    const AverageCase found = run(constant, x, options_of({"mc", "taylor", "mmse"}, {0, 1, 1e30}));
    for (const Column& column : found.columns)
      EXPECT_EQ(column.p, std::vector<double>(3, 1)) << column.estimator->name << ' ' << column.sigma;
  }
  // Identity: sigma = 0 keeps all; noise without end leaves a share of 1/3 to each class.
  const Quadratic identity = diagonal({1, 1, 1}, {.1, 0, 0});
  AverageCaseOptions options = options_of({"mc", "taylor", "mmse"}, {0, 1e30});
  options.draws = 4000;
  const AverageCase found = run(identity, random_inputs(3, 3, 7), options);
  for (const Column& column : found.columns)
    for (const double p : column.p) {
      if (column.sigma == 0)
        EXPECT_EQ(p, 1) << column.estimator->name;
      else
        EXPECT_NEAR(p, 1. / 3, column.estimator->name == "mc" ? .04 : 1e-5) << column.estimator->name;
    }
}

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
  spy.linearize = [&, inner = spy.linearize](std::span<const float> shown) {
    Linearized found = inner(shown);
    found.vjp = [&, back = found.vjp, calls = std::size_t{0}](std::span<const float> cotangents) mutable {
      result.most = std::max(result.most, ++calls);
      return back(cotangents);
    };
    return found;
  };
  result.found = average_case(spy, Noise(width), rows_of(x), 0, x.size() / width, options);
  return result;
}

AverageCaseOptions options_of(std::size_t classes, std::vector<double> own_sigmas) {
  AverageCaseOptions options;
  options.methods = {"taylor", "mmse"}, options.sigmas = std::move(own_sigmas), options.classes = classes;
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

}  // namespace leeway::average_case::linear_models_test
