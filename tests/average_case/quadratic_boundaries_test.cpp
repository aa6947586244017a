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

// Propositions 1 and 2 of Han et al. 2024 bound the error by a product over boundaries of their curvatures: one flat boundary
// would make both estimators exact. In their setting, noise of variance sigma^2 / d with d large:
constexpr std::size_t d = 400;
const double sigma = 1 / std::sqrt(double(d)), norm = std::sqrt(double(d));

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
