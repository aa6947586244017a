// Certified radii of linear models, whose smoothed classifier has the distance to the boundary as its radius.
#include "leeway/average_case/certified.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/average_case/classifiers.h"
#include "tests/message_of.h"

namespace leeway::average_case::certified_test {

AverageCaseOptions options_of(std::size_t draws, double alpha = .001) {
  AverageCaseOptions options;
  options.methods = {"mc"}, options.sigmas = {.5}, options.draws = draws, options.alpha = alpha;
  return options;
}

TEST(CertifiedRadius, OfDrawsThatAllKeepThePredictionHasAClosedForm) {
  for (const double alpha : {.001, .05})
    for (const std::size_t draws : {10, 100, 10'000}) {
      const double exact = normal_quantile(std::pow(alpha, 1 / static_cast<double>(draws)));
      EXPECT_NEAR(certified_radius(draws, draws, 2, alpha), 2 * exact, 1e-12) << alpha << ' ' << draws;
    }
  EXPECT_EQ(certified_radius(9, 9, 2, .001), 0) << ".001^(1/9) is below 1/2";
  EXPECT_EQ(certified_radius(0, 100, 2, .001), 0);
  EXPECT_EQ(certified_radius(50, 100, 2, .001), 0);
  EXPECT_REFUSED((void)run(random_linear(2, 2, 1), {0, 0}, options_of(10, .5)),
                 "average_case: alpha: expected a number within (0, 0.5), found 0.5");
}

// f = (x, 0) at x, whose distance to the boundary is |x|.
TEST(CertifiedRadius, IsAboveTheTrueOneWithProbabilityAlphaAtMost) {
  constexpr std::size_t n = 1000;
  const Quadratic model{1, 2, {1, 0}, {0, 0}, {}};
  std::vector<float> x = random_inputs(n, 1, 3);
  for (float& value : x) value *= .5F;
  for (const double width : {0., .1}) {
    AverageCaseOptions options = options_of(1000, .05);
    options.width = width;
    const Column column = run(model, x, options).columns[0];
    std::size_t above = 0;
    for (std::size_t i = 0; i < n; ++i) above += column.radius[i] > std::abs(static_cast<double>(x[i]));
    EXPECT_LE(above, n * .05 + 3 * std::sqrt(n * .05 * .95)) << width;
    EXPECT_GE(above, width > 0 ? 0U : 5U) << "the bound is not loose";
    const double look = width > 0 ? .05 / 4 : .05;  // 128, 256, 512 and 1000 draws
    for (std::size_t i = 0; i < n; ++i) {
      const auto kept = static_cast<std::size_t>(std::llround(column.p[i] * column.draws[i]));
      EXPECT_EQ(column.radius[i], certified_radius(kept, column.draws[i], .5, look));
    }
  }
}

TEST(CertifiedRadius, ApproachesTheDistanceToTheBoundary) {
  const Quadratic model{2, 2, {3, 4, 0, 0}, {0, 0}, {}};
  for (const float margin : {.2F, .5F, .8F}) {
    const Column column = run(model, {margin * .6F, margin * .8F}, options_of(200'000)).columns[0];
    EXPECT_NEAR(column.p[0], phi(static_cast<double>(margin) / .5), .005);
    EXPECT_NEAR(column.radius[0], static_cast<double>(margin), .02);
    EXPECT_LT(column.radius[0], static_cast<double>(margin));
  }
}

TEST(CertifiedRadius, IsOfIsotropicGaussianNoiseAlone) {
  const Quadratic model = random_linear(2, 2, 1);
  const auto radii = [&](const Noise& noise) {
    return run(model, {1, 1}, options_of(20), noise).columns[0].radius.size();
  };
  EXPECT_EQ(radii(Noise(2)), 1U);
  EXPECT_EQ(radii(Noise(2, noise_kind("uniform"))), 0U);
  EXPECT_EQ(radii(Noise(2, noise_kind("gaussian"), make_array<double>({2}, {1, 2}))), 0U);
}

TEST(CertifiedCurves, CountRowsWithTheLabelAtEachRadius) {
  const AverageCaseOptions options = options_of(100);
  const double most = certified_radius(100, 100, .5, .001);
  AverageCase cases;
  cases.targets = {0, 1, 1, 0};
  cases.columns.resize(2);  // the second has sigma 0
  cases.columns[0].sigma = .5, cases.columns[0].radius = {0, most / 2, most, most};
  cases.columns[1].radius = {0, 0, 0, 0};
  const std::vector<CertifiedCurve> curves =
      certified_curves(cases, std::vector<std::int64_t>{0, 1, 0, 0}, options);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].abstained.value, .25);
  EXPECT_NEAR(curves[0].abstained.interval.high, clopper_pearson(1, 4).high, 1e-12);
  ASSERT_EQ(curves[0].points.size(), 21U);
  EXPECT_EQ(curves[0].points[20].radius, most);
  for (const auto& [place, share, right] : {std::array{0, 3, 2}, {10, 3, 2}, {11, 2, 1}, {20, 2, 1}}) {
    const CertifiedPoint& point = curves[0].points[static_cast<std::size_t>(place)];
    EXPECT_EQ(point.share.value, share / 4.) << place;
    EXPECT_EQ(point.accuracy->value, right / 4.) << place;
    EXPECT_EQ(point.accuracy->interval.low, clopper_pearson(static_cast<std::size_t>(right), 4).low);
  }
  EXPECT_FALSE(certified_curves(cases, std::nullopt, options)[0].points[0].accuracy);
  EXPECT_EQ(certified_curves(cases, std::nullopt, options_of(9))[0].points.size(), 1U);
}

}  // namespace leeway::average_case::certified_test
