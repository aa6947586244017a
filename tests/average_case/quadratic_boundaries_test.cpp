// Quadratic boundaries: what the linear estimators miss, against closed forms and Monte Carlo.
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/average_case/average_case.h"
#include "tests/average_case/classifiers.h"

namespace leeway::average_case {
namespace {

AverageCaseOptions options_of(double sigma, std::size_t draws, std::size_t copies) {
  AverageCaseOptions options;
  options.methods = {"mc", "taylor", "mmse"}, options.sigmas = {sigma};
  options.draws = draws, options.copies = copies, options.level = .999;
  options.mvn.tolerance = 1e-6;
  return options;
}

struct Found {
  double low, high, taylor, mmse;
};
Found at_origin(const Quadratic& model, const AverageCaseOptions& options) {
  const AverageCase found = run(model, std::vector<float>(model.d, 0), options);
  EXPECT_EQ(found.targets[0], 0);
  return {found.columns[0].low[0], found.columns[0].high[0], found.columns[1].p[0], found.columns[2].p[0]};
}

// Two classes, f = (0, -margin - x_1 - curvature x_2^2): g = margin + x_1 + curvature x_2^2.
Quadratic two_classes(double margin, double curvature) {
  return {2, 2, {0, 0, -1, 0}, {0, -margin}, {0, 0, 0, -curvature}};
}

// p = E Phi((margin + curvature sigma^2 u^2) / sigma), u standard normal.
double probability_of_two(double margin, double curvature, double sigma) {
  return normal_mean([&](double u) { return phi(margin / sigma + curvature * sigma * u * u); });
}

TEST(QuadraticBoundaries, WithoutCurvatureAreExact) {
  for (const double sigma : {.1, 1., 5.}) {
    const Found found = at_origin(two_classes(.3, 0), options_of(sigma, 128, 5));
    EXPECT_NEAR(found.taylor, phi(.3 / sigma), 1e-6);
    EXPECT_NEAR(found.mmse, phi(.3 / sigma), 2e-6);
  }
}

TEST(QuadraticBoundaries, ErrorOfTwoClassesFallsWithCurvature) {
  double taylor = 1, mmse = 1;
  for (const double curvature : {1., .5, .25, .125, .0625}) {
    const double truth = probability_of_two(.3, curvature, 1);
    const Found found = at_origin(two_classes(.3, curvature), options_of(1, 20000, 2000));
    EXPECT_LE(found.low, truth);
    EXPECT_GE(found.high, truth);
    // Taylor sees no curvature at all; MMSE its mean, curvature sigma^2.
    EXPECT_NEAR(found.taylor, phi(.3), 1e-6);
    EXPECT_NEAR(found.mmse, phi(.3 + curvature), .03 * curvature);
    EXPECT_LT(std::abs(found.taylor - truth), .75 * taylor) << curvature;
    EXPECT_LT(std::abs(found.mmse - truth), .75 * mmse) << curvature;
    EXPECT_LT(std::abs(found.mmse - truth), .7 * std::abs(found.taylor - truth));
    taylor = std::abs(found.taylor - truth), mmse = std::abs(found.mmse - truth);
  }
  EXPECT_LT(taylor, .03);
  EXPECT_LT(mmse, .002);
}

TEST(QuadraticBoundaries, ErrorOfTwoClassesFallsWithSigma) {
  double taylor = 1, mmse = 1;
  for (const double sigma : {2., 1., .5, .25, .125}) {
    const double truth = probability_of_two(0, .5, sigma);  // on the boundary: it does not become sure
    const Found found = at_origin(two_classes(0, .5), options_of(sigma, 20000, 2000));
    EXPECT_LE(found.low, truth);
    EXPECT_GE(found.high, truth);
    EXPECT_LT(std::abs(found.taylor - truth), .9 * taylor) << sigma;
    EXPECT_LT(std::abs(found.mmse - truth), .9 * mmse) << sigma;
    taylor = std::abs(found.taylor - truth), mmse = std::abs(found.mmse - truth);
  }
  EXPECT_LT(taylor, .03);
  EXPECT_LT(mmse, .002);
}

// Propositions 1 and 2 of Han et al. 2024 bound the error by a product over boundaries of their curvatures: one flat boundary
// would make both estimators exact. In their setting, noise of variance sigma^2 / d with d large:
constexpr std::size_t d = 400;
const double sigma = 1 / std::sqrt(double(d)), norm = std::sqrt(double(d));

TEST(QuadraticBoundaries, OneFlatBoundaryDoesNotMakeTaylorExact) {
  // f_t - f_1 = u_1' x + 1/2, f_t - f_2 = x' x + u_2' x + 1/2 at x = 0, u_1 and u_2 orthogonal of norm sqrt d. Under noise
  // u_i' x is standard normal and x' x nearly 1, so the truth is Phi(.5) Phi(1.5) = .645; Taylor says Phi(.5)^2 = .478.
  Quadratic model{d, 3, std::vector<double>(3 * d, 0), {0, -.5, -.5}, std::vector<double>(3 * d, 0)};
  model.w[1 * d + 0] = -norm, model.w[2 * d + 1] = -norm;
  for (std::size_t j = 0; j < d; ++j) model.curvature[2 * d + j] = -1;
  const Found found = at_origin(model, options_of(sigma, 20000, 500));
  EXPECT_NEAR(phi(.5) * phi(.5), .478, 5e-4);
  EXPECT_NEAR(phi(.5) * phi(1.5), .645, 5e-4);
  EXPECT_NEAR(found.taylor, phi(.5) * phi(.5), 1e-6);
  EXPECT_NEAR((found.low + found.high) / 2, phi(.5) * phi(1.5), .009);  // 2.6 standard errors
  EXPECT_GT(found.low, found.taylor + .15);
  // A curvature that is alike in all directions is one that MMSE sees.
  EXPECT_NEAR(found.mmse, phi(.5) * phi(1.5), .01);
}

TEST(QuadraticBoundaries, OneFlatBoundaryDoesNotMakeMmseExact) {
  // With y_i = u_i' x standard normal: f_t - f_1 = y_1 + 1.5 and f_t - f_2 = y_2^2 + y_2 + 1/2, which is above 1/4. So the
  // truth is Phi(1.5) = .933. The nearest linear functions are y_1 + 1.5 and y_2 + 1.5: Phi(1.5)^2 = .871.
  Quadratic model{d, 3, std::vector<double>(3 * d, 0), {0, -1.5, -.5}, std::vector<double>(3 * d, 0)};
  model.w[1 * d + 0] = -norm, model.w[2 * d + 1] = -norm, model.curvature[2 * d + 1] = -double(d);
  const Found found = at_origin(model, options_of(sigma, 20000, 1000));
  EXPECT_NEAR(phi(1.5), .933, 5e-4);
  EXPECT_NEAR(phi(1.5) * phi(1.5), .871, 5e-4);
  EXPECT_LE(found.low, phi(1.5));
  EXPECT_GE(found.high, phi(1.5));
  EXPECT_NEAR(found.mmse, phi(1.5) * phi(1.5), .01);
  EXPECT_GT(found.low, found.mmse + .04);
}

}  // namespace
}  // namespace leeway::average_case
