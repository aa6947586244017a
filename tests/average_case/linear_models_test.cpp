// Linear models, where the probability is known: every estimator through average_case().
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/average_case/average_case.h"
#include "tests/average_case/classifiers.h"

namespace leeway::average_case {
namespace {

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

// Independent copies move every boundary by chance: at five of them a linear model's p is off by some points, and by
// less the more there are. Centred ones leave it exact.
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

// Propositions 1 and 2 of Han et al. 2024 bound the error by a product over boundaries of their curvatures: one flat
// boundary would make both estimators exact. In their setting, noise of variance sigma^2 / d with d large, and with y_i
// = u_i' x standard normal: f_t - f_1 = y_1 + 1.5 and f_t - f_2 = y_2^2 + y_2 + 1/2, which is above 1/4. So the truth is
// Phi(1.5) = .933. The nearest linear functions are y_1 + 1.5 and y_2 + 1.5: Phi(1.5)^2 = .871.
TEST(QuadraticBoundaries, OneFlatBoundaryDoesNotMakeMmseExact) {
  const std::size_t d = 400;
  const double norm = std::sqrt(double(d));
  Quadratic model{d, 3, std::vector<double>(3 * d, 0), {0, -1.5, -.5}, std::vector<double>(3 * d, 0)};
  model.w[1 * d + 0] = -norm, model.w[2 * d + 1] = -norm, model.curvature[2 * d + 1] = -double(d);
  AverageCaseOptions options = options_of({"mc", "mmse"}, {1 / norm});
  options.draws = 20000, options.copies = 1000, options.level = .999;
  const AverageCase found = run(model, std::vector<float>(d, 0), options);
  const double low = found.columns[0].low[0], mmse = found.columns[1].p[0];
  EXPECT_EQ(found.targets[0], 0);
  EXPECT_LE(low, phi(1.5));
  EXPECT_GE(found.columns[0].high[0], phi(1.5));
  EXPECT_NEAR(mmse, phi(1.5) * phi(1.5), .01);
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

}  // namespace
}  // namespace leeway::average_case
