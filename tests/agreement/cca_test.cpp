#include "leeway/agreement/detail/cca.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "leeway/core/error.h"
#include "tests/agreement/cases.h"
#include "tests/agreement/reference_cases.h"

namespace leeway::agreement {
namespace {

std::vector<std::size_t> first_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

Matrix matrix(std::size_t n, std::size_t d, std::vector<double> values) {
  return {make_array<double>({n, d}, std::move(values)), "m", "features"};
}

CanonicalCorrelations correlate(const Matrix& x, const Matrix& y) {
  const auto rows = first_rows(x.rows());
  return canonical_correlations(x, rows, y, rows);
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

// U^T U = I, V^T V = I and U^T V = diag(correlations), on features of rank 3 among 5 columns.
TEST(CanonicalCorrelation, VariatesAreAsDefined) {
  const std::size_t m = 30;
  Draws draws(3);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < m; ++i) {
    const double a = draws.normal(), b = draws.normal(), c = draws.normal();
    x.insert(x.end(), {a, 2 * a, 7, b, a - b + c});
    y.insert(y.end(), {a + draws.normal(), c + draws.normal()});
  }
  const Matrix u = matrix(m, 5, x), v = matrix(m, 2, y);
  const auto found = correlate(u, v);
  EXPECT_EQ(found.x.columns, (std::vector<std::size_t>{0, 3, 4}));
  ASSERT_EQ(found.correlations.size(), 2u);
  EXPECT_GE(found.correlations[0], found.correlations[1]);
  const Array pu = found.x.project(u), pv = found.y.project(v);
  ASSERT_EQ(pu.shape, (std::vector<std::size_t>{m, 2}));
  const auto dot = [&](const Array& a, std::size_t i, const Array& b, std::size_t j) {
    double sum = 0;
    for (std::size_t r = 0; r < m; ++r) sum += a.view<double>()[2 * r + i] * b.view<double>()[2 * r + j];
    return sum;
  };
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(dot(pu, i, pu, j), i == j, 1e-12);
      EXPECT_NEAR(dot(pv, i, pv, j), i == j, 1e-12);
      EXPECT_NEAR(dot(pu, i, pv, j), i == j ? found.correlations[i] : 0, 1e-12);
    }
}

TEST(CanonicalCorrelation, Errors) {
  const auto message = [](const Matrix& x, const Matrix& y, std::size_t m, std::size_t k) {
    try {
      (void)canonical_correlations(x, first_rows(m), y, first_rows(k));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Matrix varies = matrix(3, 1, {1, 2, 4}), constant = matrix(3, 2, {.1, .7, .1, .7, .1, .7});
  EXPECT_EQ(message(varies, varies, 3, 2), "m: expected 3 rows for canonical correlation, as in m, found 2");
  EXPECT_THAT(message(varies, varies, 1, 1), ::testing::HasSubstr("canonical correlation, found 1"));
  EXPECT_THAT(message(varies, constant, 3, 3), ::testing::HasSubstr("found the same in all 3 rows"));
}

}  // namespace
}  // namespace leeway::agreement
