#include "leeway/agreement/alignment.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/core/random.h"
#include "tests/agreement/reference_cases.h"
#include "tests/message_of.h"

namespace leeway::agreement::alignment_test {

using ::testing::HasSubstr;

Array matrix(std::size_t d, std::vector<double> values) {
  const std::size_t n = values.size() / d;
  return make_array(std::vector<std::size_t>{n, d}, std::move(values));
}

std::vector<double> noise(std::size_t count, std::uint32_t purpose) {
  Random random(1, purpose);
  std::vector<double> values(count);
  for (double& value : values) value = random.normal();
  return values;
}

// n rows of d features, the first of them the longest.
Array cloud(std::size_t n, std::size_t d, std::uint32_t purpose = 1) {
  std::vector<double> values = noise(n * d, purpose);
  for (std::size_t i = 0; i < n; ++i) values[i * d] *= 3;
  return matrix(d, std::move(values));
}

Alignment aligned(const Array& clean, const Array& shifted, std::vector<std::int64_t> labels = {},
                  bool standardize = false) {
  return feature_alignment(clean, "clean", shifted, "shifted", labels, {standardize, {.replicates = 200}});
}

TEST(FeatureAlignment, EqualSetsAreAligned) {
  for (const bool standardize : {false, true})
    for (const std::size_t d : {1, 5, 40}) {  // fewer and more features than rows
      const Array features = cloud(20, d);
      const Alignment same = aligned(features, features, {}, standardize);
      EXPECT_EQ(same.cross_domain_error, 0);
      EXPECT_EQ(same.cross_domain_error_interval.high, 0);
      EXPECT_EQ(same.angle, 0);
      EXPECT_NEAR(same.correlation, 1, 1e-12);
      EXPECT_FALSE(same.clean.class_variance);
    }
}

TEST(FeatureAlignment, ALineIsAllVariance) {
  // t u with u = (3, 4): z = 5 t, scaled to [-1,1].
  const std::vector<double> t = {0, 1, 2, 5};
  std::vector<double> line, other;
  for (const double at : t)
    line.insert(line.end(), {3 * at, 4 * at}), other.insert(other.end(), {4 * at, 3 * at});
  const Alignment found = aligned(matrix(2, line), matrix(2, other));
  EXPECT_NEAR(found.clean.explained, 1, 1e-12);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.clean.projections[i], 2 * t[i] / 5 - 1, 1e-12);
  EXPECT_NEAR(found.cross_domain_error, 0, 1e-20);
  EXPECT_NEAR(found.angle, std::acos(24. / 25) * 180 / std::numbers::pi, 1e-6);
}

TEST(FeatureAlignment, ErrorIsThatOfTheProjections) {
  // One feature: it is its own direction. (-1, 0, 1) against (-1, 1, 1) and, turned over, (1, 1, -1).
  const Array clean = matrix(1, {10, 20, 30});
  const Alignment found = aligned(clean, matrix(1, {5, 6, 6}));
  EXPECT_NEAR(found.cross_domain_error, 1. / 3, 1e-12);
  EXPECT_NEAR(found.correlation, std::sqrt(3.) / 2, 1e-12);  // of (-1,0,1) and (-2,1,1)/3
  const Alignment turned = aligned(clean, matrix(1, {6, 5, 5}));
  EXPECT_NEAR(turned.cross_domain_error, 1. / 3, 1e-12);
  EXPECT_NEAR(turned.angle, 180, 1e-12);
  EXPECT_GE(found.cross_domain_error_interval.high, found.cross_domain_error);
  EXPECT_LE(found.cross_domain_error_interval.low, found.cross_domain_error);
}

TEST(FeatureAlignment, ClassesThatDecideHaveNoVarianceWithin) {
  const Array classes = matrix(2, {1, 1, -1, -1, 1, 1, -1, -1});
  const Alignment found = aligned(classes, classes, {3, 0, 3, 0});
  EXPECT_NEAR(found.clean.class_variance->value, 0, 1e-20);
  EXPECT_NEAR(found.clean.class_variance->interval.high, 0, 1e-20);
  // Projections -1, -.5, .5, 1 of classes 0 0 1 1: within 4 (.25)^2 of 2.5 in all.
  const Array spread = matrix(1, {-2, -1, 1, 2});
  const Alignment within = aligned(spread, spread, {0, 0, 1, 1});
  EXPECT_NEAR(within.shifted.class_variance->value, .1, 1e-12);
  const Alignment apart = aligned(spread, spread, {0, 1, 1, 0});  // classes of equal means
  EXPECT_NEAR(apart.shifted.class_variance->value, 1, 1e-12);
}

TEST(FeatureAlignment, StandardizedFeaturesCountAlike) {
  // A long feature of noise beside two short ones that go together.
  const std::vector<double> a = noise(50, 7), b = noise(50, 8);
  std::vector<double> values;
  for (std::size_t i = 0; i < 50; ++i) values.insert(values.end(), {1000 * a[i], b[i], b[i], 5});
  const Alignment plain = aligned(matrix(4, values), matrix(4, values)),
                  standard = aligned(matrix(4, values), matrix(4, values), {}, true);
  EXPECT_GT(plain.clean.explained, .99);
  EXPECT_LT(standard.clean.explained, .9);  // two of the three features that vary
  EXPECT_GT(standard.clean.explained, 2. / 3 - .01);
}

// The direction against power iteration, and rows in another order.
TEST(FeatureAlignment, IsTheLeadingDirection) {
  const std::size_t n = 40, d = 6;
  const Array features = cloud(n, d, 5);
  const std::vector<double> values = to_f64(features, "");
  std::vector<double> means(d), direction(d, 1), scores(n);
  for (std::size_t i = 0; i < n * d; ++i) means[i % d] += values[i] / static_cast<double>(n);
  double total = 0, along = 0;
  for (int step = 0; step < 500; ++step) {
    std::vector<double> next(d);
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      scores[i] = 0;
      for (std::size_t c = 0; c < d; ++c) scores[i] += (values[i * d + c] - means[c]) * direction[c];
      for (std::size_t c = 0; c < d; ++c) next[c] += (values[i * d + c] - means[c]) * scores[i];
    }
    for (const double value : next) length += value * value;
    for (std::size_t c = 0; c < d; ++c) direction[c] = next[c] / std::sqrt(length);
  }
  for (std::size_t i = 0; i < n; ++i) {
    along += scores[i] * scores[i];
    for (std::size_t c = 0; c < d; ++c) total += std::pow(values[i * d + c] - means[c], 2);
  }
  const Alignment found = aligned(features, cloud(n, d, 6));
  EXPECT_NEAR(found.clean.explained, along / total, 1e-10);
  const auto [low, high] = std::ranges::minmax(scores);
  for (std::size_t i = 0; i < n; ++i)  // the sign of power iteration is its own
    EXPECT_NEAR(std::abs(found.clean.projections[i]), std::abs(2 * (scores[i] - low) / (high - low) - 1),
                1e-8);
}

TEST(FeatureAlignment, SaysWhatIsWrong) {
  const auto refused = [](const Array& clean, const Array& shifted, std::vector<std::int64_t> labels = {}) {
    return message_of([&] { (void)aligned(clean, shifted, std::move(labels)); });
  };
  const Array two = matrix(2, {1, 2, 3, 5});
  EXPECT_THAT(refused(matrix(2, {1, 2}), matrix(2, {1, 2})), HasSubstr("alignment of features, found 1"));
  EXPECT_THAT(refused(two, matrix(1, {1, 2})), HasSubstr("shifted"));
  EXPECT_EQ(refused(two, matrix(2, {1, 2, 3, 4, 5, 6})), "shifted: expected 2 rows, as in clean, found 3");
  EXPECT_THAT(refused(two, matrix(2, {1, 2, 1, 2})), HasSubstr("found the same in all 2 rows"));
  EXPECT_EQ(refused(two, two, {1}), "clean: expected 2 labels, found 1");
  EXPECT_THAT(refused(two, matrix(2, {1, 2, NAN, 4})), HasSubstr("finite"));
}

TEST(FeatureAlignment, LargeAndSmallFeaturesLoseNothing) {
  const Array features = cloud(25, 3);
  const Alignment plain = aligned(features, cloud(25, 3, 9));
  for (const double scale : {1e120, 1e-120}) {
    std::vector<double> one = to_f64(features, ""), two = to_f64(cloud(25, 3, 9), "");
    for (double& value : one) value *= scale;
    for (double& value : two) value *= scale;
    const Alignment scaled = aligned(matrix(3, one), matrix(3, two));
    EXPECT_NEAR(scaled.cross_domain_error, plain.cross_domain_error, 1e-9);
    EXPECT_NEAR(scaled.angle, plain.angle, 1e-6);
    EXPECT_NEAR(scaled.correlation, plain.correlation, 1e-9);
  }
}

Matrix matrix(std::size_t n, std::size_t d, std::vector<double> values) {
  return {make_array<double>({n, d}, std::move(values)), "m", "features"};
}

TEST(CanonicalCorrelation, EqualsR) {
  std::size_t compared = 0;
  for (const auto& example : reference_cases()) {
    if (!example.json.contains("canonical")) continue;
    SCOPED_TRACE(example.name);
    const auto& expected = example.json["canonical"];
    std::vector<std::size_t> x_rows, y_rows;
    for (const auto& pair : example.json["pairs"]["label"])
      x_rows.push_back(pair[0]), y_rows.push_back(pair[1]);
    const Matrix x(*example.clean.features, "clean", "features"),
        y(*example.shifted.features, "shifted", "features");
    const auto found = canonical_correlations(x, x_rows, y, y_rows);
    const auto correlations = expected["correlations"].get<std::vector<double>>();
    ASSERT_EQ(found.correlations.size(), correlations.size());
    for (std::size_t j = 0; j < correlations.size(); ++j)
      EXPECT_NEAR(found.correlations[j], correlations[j], 1e-9);
    EXPECT_EQ(found.x.columns, expected["x"]["columns"].get<std::vector<std::size_t>>());
    EXPECT_EQ(found.y.columns, expected["y"]["columns"].get<std::vector<std::size_t>>());
    ++compared;
    if (correlations.back() > 1 - 1e-9) continue;  // all equal: the directions among them are arbitrary
    for (std::size_t j = 0; j < correlations.size(); ++j) {
      // The sign of a direction is arbitrary, but the same on both sides.
      const double sign = std::signbit(found.x.coefficients[j]) ==
                                  std::signbit(expected["x"]["coefficients"][0][j].get<double>())
                              ? 1
                              : -1;
      for (const auto& [side, name] : {std::pair{&found.x, "x"}, {&found.y, "y"}})
        for (std::size_t c = 0; c < side->columns.size(); ++c) {
          const double reference = expected[name]["coefficients"][c][j];
          EXPECT_NEAR(sign * side->coefficients[c * correlations.size() + j], reference,
                      1e-9 * (1 + std::abs(reference)));
        }
    }
  }
  EXPECT_GE(compared, 8u);
}

TEST(CanonicalCorrelation, Errors) {
  const auto message = [](const Matrix& x, const Matrix& y, std::size_t m, std::size_t k) {
    return message_of([&] { (void)canonical_correlations(x, all_rows(m), y, all_rows(k)); });
  };
  const Matrix varies = matrix(3, 1, {1, 2, 4}), constant = matrix(3, 2, {.1, .7, .1, .7, .1, .7});
  EXPECT_EQ(message(varies, varies, 3, 2), "m: expected 3 rows for canonical correlation, as in m, found 2");
  EXPECT_THAT(message(varies, varies, 1, 1), HasSubstr("canonical correlation, found 1"));
  EXPECT_THAT(message(varies, constant, 3, 3), HasSubstr("found the same in all 3 rows"));
}

}  // namespace leeway::agreement::alignment_test
