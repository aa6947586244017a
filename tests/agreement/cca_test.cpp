#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/agreement/detail/matrix.h"
#include "tests/agreement/reference_cases.h"
#include "tests/message_of.h"

namespace leeway::agreement {
namespace {

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
  EXPECT_THAT(message(varies, varies, 1, 1), ::testing::HasSubstr("canonical correlation, found 1"));
  EXPECT_THAT(message(varies, constant, 3, 3), ::testing::HasSubstr("found the same in all 3 rows"));
}

}  // namespace
}  // namespace leeway::agreement
