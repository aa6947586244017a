#include "leeway/average_case/summary.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "tests/average_case/classifiers.h"
#include "tests/message_of.h"

namespace leeway::average_case::summary_test {

using Json = nlohmann::json;
using Doubles = std::vector<double>;

Json reference_cases() {
  std::ifstream file(LEEWAY_REFERENCE "/average_case.json");
  return Json::parse(file);
}

void expect_near(std::optional<double> found, const Json& expected, const std::string& where) {
  ASSERT_EQ(found.has_value(), !expected.is_null()) << where;
  if (!found) return;
  EXPECT_NEAR(*found, expected.get<double>(), 1e-9 * std::abs(expected.get<double>())) << where;
}

TEST(Summary, DistributionsAreThoseOfScipy) {
  for (const Json& one : reference_cases()) {
    const auto p = one["p"].get<Doubles>();
    const Distribution found = distribution(p, one["level"].get<double>());
    const std::string name = one["name"];
    EXPECT_EQ(found.n, p.size());
    EXPECT_NEAR(found.mean, one["mean"].get<double>(), 1e-14) << name;
    ASSERT_EQ(found.interval.has_value(), !one["interval"].is_null()) << name;
    if (found.interval) {
      // scipy 1.10 has the quantile of t to 1e-8
      EXPECT_NEAR(found.interval->low, one["interval"][0].get<double>(), 1e-9) << name;
      EXPECT_NEAR(found.interval->high, one["interval"][1].get<double>(), 1e-9) << name;
    }
    for (std::size_t q = 0; q < quantile_levels.size(); ++q)
      EXPECT_NEAR(found.quantiles[q], one["quantiles"][q].get<double>(), 1e-14) << name;
  }
}

TEST(Summary, ClassBiasIsThatOfScipy) {
  for (const Json& one : reference_cases()) {
    const std::string name = one["name"];
    const std::size_t classes = one["classes"];
    const ClassBias found =
        class_bias(one["p"].get<Doubles>(), one["labels"].get<std::vector<std::int64_t>>(), classes);
    expect_near(found.p_value, one["kruskal"], name);
    ASSERT_EQ(found.classes.size(), classes);
    for (std::size_t c = 0; c < classes; ++c) {
      const ClassDistribution& of = found.classes[c];
      EXPECT_EQ(of.label, static_cast<std::int64_t>(c));
      EXPECT_EQ(of.distribution.n, one["counts"][c].get<std::size_t>());
      expect_near(of.p_value, one["holm"][c], name + " " + std::to_string(c));
      EXPECT_NEAR(of.difference, one["differences"][c].get<double>(), 1e-12) << name << ' ' << c;
    }
  }
}

TEST(Summary, RankCorrelationIsThatOfScipy) {
  for (const Json& one : reference_cases())
    expect_near(rank_correlation(one["p"].get<Doubles>(), one["other"].get<Doubles>()), one["spearman"],
                one["name"]);
}

TEST(Summary, OfNoSampleAndOfOne) {
  EXPECT_EQ(distribution({}).n, 0U);
  EXPECT_FALSE(distribution({}).interval);
  const Distribution one = distribution(Doubles{.25});
  EXPECT_EQ(one.mean, .25);
  EXPECT_FALSE(one.interval);
  for (const double quantile : one.quantiles) EXPECT_EQ(quantile, .25);
  const ClassBias bias = class_bias(Doubles{.25}, std::vector<std::int64_t>{1}, 3);
  EXPECT_FALSE(bias.p_value);
  for (const ClassDistribution& of : bias.classes) EXPECT_FALSE(of.p_value);
  EXPECT_FALSE(rank_correlation(Doubles{1}, Doubles{2}));
  EXPECT_FALSE(rank_correlation({}, {}));
}

TEST(Summary, SamplesThatAllTieShowNoDifference) {
  // Also where n^3 is beyond what float64 holds exactly.
  for (const std::size_t n : {4, 300001}) {
    std::vector<std::int64_t> labels(n);
    for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(i % 3);
    const ClassBias bias = class_bias(Doubles(n, 1.), labels, 3);
    EXPECT_FALSE(bias.p_value) << n;
    for (const ClassDistribution& of : bias.classes) EXPECT_EQ(of.p_value, 1.) << n;
  }
}

Column column_of(Doubles p, std::uint32_t draws = 0) {
  Column column;
  if (draws > 0) column.draws.assign(p.size(), draws);
  column.p = std::move(p);
  return column;
}

TEST(Summary, AgainstMonteCarloByHand) {
  // Differences .1, -.1, .3, 0.
  const Column method = column_of({.6, .4, .8, 1}), mc = column_of({.5, .5, .5, 1}, 100);
  const AgainstMonteCarlo found = against_monte_carlo(method, mc);
  EXPECT_NEAR(found.mean_absolute, .125, 1e-15);
  EXPECT_NEAR(found.root_mean_square, std::sqrt(.11 / 4), 1e-15);
  EXPECT_NEAR(found.largest, .3, 1e-15);
  EXPECT_NEAR(found.bias, .075, 1e-15);
  EXPECT_NEAR(found.floor, .75 * std::sqrt(2 * .25 / (std::numbers::pi * 100)), 1e-15);
  EXPECT_LT(found.interval.low, .125);
  EXPECT_GT(found.interval.high, .125);
  EXPECT_GE(found.interval.low, 0);
  EXPECT_LE(found.interval.high, .3);
  // Ranks 2 1 3 4 against 2 2 2 4: covariance 3, squares 5 and 3.
  EXPECT_NEAR(*found.rank, 3 / std::sqrt(15.), 1e-15);
  EXPECT_FALSE(against_monte_carlo(column_of({.5, .5}), column_of({.5, .6}, 10)).rank);
  const AgainstMonteCarlo again = against_monte_carlo(method, mc);
  EXPECT_EQ(again.interval.low, found.interval.low);
}

TEST(Summary, FloorIsWhatMonteCarloShowsAgainstTheTruth) {
  // A linear model, whose probability Taylor gives: the mean absolute error of mc is its floor.
  const std::size_t n = 400;
  const Quadratic model = random_linear(3, 2, 1);
  const std::vector<float> x = random_inputs(n, 3, 1);
  AverageCaseOptions options;
  options.methods = {"taylor", "mc"}, options.sigmas = {2}, options.draws = 500;
  const AverageCase found = run(model, x, options);
  const AgainstMonteCarlo against = against_monte_carlo(found.columns[0], found.columns[1]);
  EXPECT_NEAR(against.mean_absolute, against.floor, .1 * against.floor);
}

TEST(Summary, RefusesWhatDoesNotFit) {
  const std::vector<std::int64_t> labels = {0, 2};
  const Doubles one = {.1}, two = {.1, .2};
  const std::pair<std::string, const char*> refused[] = {
      {message_of([&] { (void)class_bias(two, labels, 2); }), "labels 0 to 1, found 2 at row 1"},
      {message_of([&] { (void)class_bias(one, labels, 3); }), "1 labels, found 2"},
      {message_of([&] { (void)rank_correlation(one, Doubles{}); }), "1 values, found 0"},
      {message_of([&] { (void)against_monte_carlo(column_of(one), column_of(two, 5)); }), "found 2"},
      {message_of([&] { (void)against_monte_carlo(column_of(one), column_of(one)); }), "found none"},
      {message_of([&] { (void)against_monte_carlo(column_of({}), column_of({})); }),
       "one sample, found none"},
      {message_of([&] { (void)distribution(one, 1); }), "level: expected a number within (0, 1), found 1"}};
  for (const auto& [text, found] : refused) EXPECT_THAT(text, ::testing::EndsWith(found));
  for (const double level : {0., 1., -.5, 2.}) {
    EXPECT_NE(message_of([&] { (void)distribution(Doubles{.1, .2}, level); }), "no error") << level;
    EXPECT_NE(message_of([&] { (void)against_monte_carlo(column_of({.1}), column_of({.1}, 5), level); }),
              "no error");
    EXPECT_NE(message_of([&] { (void)class_bias(Doubles{.1}, std::vector<std::int64_t>{0}, 2, level); }),
              "no error");
  }
}

}  // namespace leeway::average_case::summary_test
