#include "leeway/agreement/distance.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "tests/agreement/cases.h"
#include "tests/agreement/reference_cases.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"
#include "tests/stopping.h"

namespace leeway::agreement::distance_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Array f64(std::size_t n, std::size_t d, std::vector<double> values) {
  return make_array<double>({n, d}, std::move(values));
}

Sample with_features(std::string name, std::size_t n, std::size_t d, std::vector<double> values) {
  return {std::move(name), {}, f64(n, d, std::move(values)), {}};
}

Sample drawn(std::string name, std::size_t n, std::size_t k, std::size_t d, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<double> logits(n * k), features(n * d);
  for (double& x : logits) x = 2 * draws.normal();
  for (double& x : features) x = draws.normal();
  return {std::move(name), f64(n, k, logits), f64(n, d, features), {}};
}

double measure(std::string_view name, const Sample& clean, const Sample& shifted) {
  return distance(name).compute(clean, shifted, nullptr);
}

TEST(Distance, CosineByHand) {
  // Right angle 1, opposite 2, same direction 0, zeros against zeros 0, zeros against anything else 1.
  const Sample clean = with_features("clean", 5, 2, {1, 0, 1, 1, 1e200 / 1e70, 0, 0, 0, 0, 0});
  const Sample shifted = with_features("shifted", 5, 2, {0, 3, -2, -2, 1e-300, 0, 0, 0, 0, 5});
  EXPECT_NEAR(measure("cosine", clean, shifted), (1 + 2 + 0 + 0 + 1) / 5., 1e-15);
}

TEST(Distance, CosineKeepsSmallAngles) {
  // 1 - cos of the angle 1e-6 is 5e-13 (1 - 1e-12 / 12): 1 - u.v would have four digits.
  const Sample clean = with_features("clean", 1, 2, {1, 0});
  const Sample shifted = with_features("shifted", 1, 2, {std::cos(1e-6), std::sin(1e-6)});
  EXPECT_NEAR(measure("cosine", clean, shifted), 5e-13, 1e-21);
}

TEST(Distance, EqualsOtherPrograms) {
  std::size_t compared = 0;
  for (const auto& example : reference_cases()) {
    for (const auto& result : measure_distances(example.clean, example.shifted)) {
      const std::string name(result.distance->name);
      SCOPED_TRACE(example.name + ", " + name);
      ASSERT_EQ(result.value.has_value(), example.json["distances"].contains(name)) << result.missing;
      if (!result.value) continue;
      const double expected = example.json["distances"][name];
      EXPECT_NEAR(*result.value, expected, 1e-9 * std::abs(expected) + 1e-13);
      ++compared;
    }
  }
  EXPECT_GE(compared, 65u);
}

TEST(Distance, TheSameBitsForAnyNumberOfThreads) {
  const Sample x = drawn("clean", 1700, 3, 3, 7), y = drawn("shifted", 1700, 3, 3, 8);
  const auto bits = [&] {
    std::vector<std::uint64_t> values;
    for (const auto& member : distances())
      values.push_back(std::bit_cast<std::uint64_t>(member.compute(x, y, nullptr)));
    return values;
  };
  const auto one = at_threads(1, bits);
  EXPECT_EQ(one, at_threads(2, bits));
  EXPECT_EQ(one, at_threads(5, bits));
}

TEST(Distance, Float32IsReadAsItIs) {
  Sample x = drawn("clean", 20, 3, 4, 9), y = drawn("shifted", 20, 3, 4, 10);
  const auto narrowed = [](const Array& values) {
    const auto view = values.view<double>();
    std::vector<float> result;
    for (const double value : view) result.push_back(static_cast<float>(value));
    return make_array<float>(values.shape, std::move(result));
  };
  const auto widened = [](const Array& values) {
    const auto view = values.view<float>();
    return make_array<double>(values.shape, std::vector<double>(view.begin(), view.end()));
  };
  for (Sample* sample : {&x, &y})
    sample->logits = narrowed(*sample->logits), sample->features = narrowed(*sample->features);
  const Sample u{"clean", widened(*x.logits), widened(*x.features), {}};
  const Sample v{"shifted", widened(*y.logits), widened(*y.features), {}};
  for (const auto& member : distances())
    EXPECT_EQ(member.compute(x, y, nullptr), member.compute(u, v, nullptr)) << member.name;
}

// Means differ by 2 m, and C'' = 9 C': tr (C' + 9 C' - 6 C') = 4 tr C'.
TEST(Distance, FrechetOfManyRows) {
  struct Case {
    std::size_t n, d, dependent;  // the last columns repeat the first
  };
  for (const auto& [n, d, dependent] : {Case{5000, 3, 0}, {700, 210, 0}, {700, 210, 10}, {100, 210, 0}}) {
    Draws draws(13);
    std::vector<double> rows(d * n), tripled;
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < d; ++c)
        rows[i * d + c] = c < d - dependent ? draws.normal() : rows[i * d + c + dependent - d];
    for (const double x : rows) tripled.push_back(3 * x);
    for (std::size_t c = 0; c < d; ++c) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < n; ++i) sum += rows[i * d + c];
      const double mean = sum / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i) squares += (rows[i * d + c] - mean) * (rows[i * d + c] - mean);
      expected += 4 * mean * mean + 4 * squares / static_cast<double>(n - 1);
    }
    const Sample x = with_features("clean", n, d, rows), y = with_features("shifted", n, d, tripled);
    EXPECT_NEAR(measure("frechet", x, y), expected, 1e-11 * std::max(1., expected)) << n << " " << d;
  }
}

TEST(Distance, ErrorsNameTheSetAndTheRow) {
  const Sample x = with_features("clean.npz", 2, 2, {1, 2, 3, 4});
  EXPECT_REFUSED(measure("mmd", x, with_features("s.npz", 1, 3, {1, 2, 3})), "s.npz: expected ... found 3");
  EXPECT_REFUSED(measure("cosine", x, with_features("s.npz", 1, 2, {1, 2})), "s.npz: expected 2 ... found 1");
  EXPECT_REFUSED(measure("kl", x, x), "clean.npz: expected logits for the distance kl, found none");
  EXPECT_REFUSED(measure("mmd", x, with_features("s.npz", 2, 2, {1, 2, 3, nan})),
                 "s.npz: expected finite features below 1e+140, found nan at row 1, column 1...");
  EXPECT_REFUSED(measure("frechet", with_features("c", 1, 1, {-1e150}), x),
                 "found -1e+150 at row 0, column 0...");
  EXPECT_REFUSED(measure("mmd", with_features("c", 0, 2, {}), x), "c: expected features ... found (0, 2)...");
}

TEST(Distance, WhatCannotBeMeasuredIsSaid) {
  const Sample x = drawn("clean", 4, 2, 3, 14);
  Sample y = drawn("shifted", 5, 2, 3, 15);
  auto measured = measure_distances(x, y);
  ASSERT_EQ(measured.size(), distances().size());
  for (const auto& result : measured) {
    EXPECT_EQ(result.value.has_value(), !result.distance->paired) << result.distance->name;
    EXPECT_EQ(result.missing, result.distance->paired ? "rows are not paired: 4 and 5" : "");
  }
  y.features.reset();
  for (const auto& result : measure_distances(x, y))
    EXPECT_EQ(result.missing == "shifted has no features", result.distance->compares == Compared::features);
}

TEST(MeasureDistances, OnlyThoseNamed) {
  const Sample x = drawn("x", 20, 3, 2, 1), y = drawn("y", 20, 3, 2, 2);
  const std::vector<std::string> names = {"mmd", "kl"};
  const auto measured = measure_distances(x, y, names);
  ASSERT_EQ(measured.size(), 2);
  EXPECT_EQ(measured[0].distance->name, "kl");  // in the order of the family
  EXPECT_EQ(*measured[1].value, measure("mmd", x, y));
  const std::vector<std::string> wrong = {"no-such"};
  EXPECT_REFUSED(measure_distances(x, y, wrong), "found 'no-such'...");
}

TEST(MeasureDistances, MmdTellsHowFarItIsAndStops) {
  const Sample x = drawn("x", 100, 2, 2, 1), y = drawn("y", 70, 2, 2, 2);
  Stopping counter(Stopping::never), impatient(1);
  (void)distance("mmd").compute(x, y, &counter);
  EXPECT_EQ(counter.total, 270);  // rows of x against y, of x against x, of y against y
  EXPECT_EQ(counter.done, 270);
  EXPECT_THROW((void)distance("mmd").compute(x, y, &impatient), Interrupted);
}

}  // namespace leeway::agreement::distance_test
