#include "leeway/core/contingency.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "leeway/io/groups.h"
#include "tests/at_threads.h"

namespace leeway::contingency_test {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(Contingency, ValuesByHand) {
  const Contingency diagonal{2, 2, {50, 0, 0, 50}}, none{2, 2, {25, 25, 25, 25}},
      some{2, 2, {30, 10, 20, 40}};
  EXPECT_DOUBLE_EQ(phi_squared(diagonal), 1);
  EXPECT_DOUBLE_EQ(mutual_information(diagonal), std::log(2));
  EXPECT_DOUBLE_EQ(corrected_v(diagonal), 1);
  EXPECT_DOUBLE_EQ(phi_squared(none), 0);
  EXPECT_DOUBLE_EQ(corrected_v(none), 0);
  EXPECT_NEAR(phi_squared(some), std::pow(30. * 40 - 10 * 20, 2) / (40. * 60 * 50 * 50), 1e-15);
  // r~ - 1 = 1 - 1/99
  EXPECT_NEAR(corrected_v(some), std::sqrt((phi_squared(some) - 1. / 99) / (1 - 1. / 99)), 1e-15);
  EXPECT_NEAR(corrected_information(some), mutual_information(some) - 1. / 200, 1e-15);
}

TEST(Contingency, EmptyRowsAndColumnsChangeNothing) {
  const Contingency plain{2, 2, {30, 10, 20, 40}}, wide{3, 3, {30, 0, 10, 0, 0, 0, 20, 0, 40}};
  EXPECT_DOUBLE_EQ(corrected_v(plain), corrected_v(wide));
  EXPECT_DOUBLE_EQ(corrected_information(plain), corrected_information(wide));
  const Contingency flat{2, 2, {3, 4, 0, 0}}, empty{2, 2, {0, 0, 0, 0}};
  EXPECT_EQ(corrected_v(flat), 0);
  EXPECT_EQ(corrected_v(empty), 0);
  EXPECT_EQ(mutual_information(empty), 0);
}

TEST(Contingency, NumbersAreBinomialAndHypergeometric) {
  const auto expect = [](const auto& draw, double mean, double variance) {
    constexpr int times = 20000;
    double sum = 0, squares = 0;
    for (int i = 0; i < times; ++i) {
      Random random(3, stream("test"), static_cast<std::uint64_t>(i));
      const double x = static_cast<double>(draw(random)) - mean;
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum / times, 0, 5 * std::sqrt(variance / times) + 1e-12);
    EXPECT_NEAR(squares / times, variance,
                5 * variance * std::sqrt(3. / times) + 5 * std::sqrt(variance / times) + 1e-12);
  };
  for (const auto& [n, p] : {std::pair(1., .3), {7., .01}, {50., .5}, {1000., .999}, {1e7, .2}})
    expect([n = n, p = p](Random& random) { return draw_binomial(random, static_cast<std::uint64_t>(n), p); },
           n * p, n * p * (1 - p));
  for (const auto& [good, bad, draws] :
       {std::tuple(1., 1., 1.), {5., 7., 10.}, {100., 3., 90.}, {1e6, 3e6, 1e5}, {10., 1e7, 1e6}}) {
    const double all = good + bad, p = good / all;
    expect(
        [good = good, bad = bad, draws = draws](Random& random) {
          return draw_hypergeometric(random, static_cast<std::uint64_t>(good),
                                     static_cast<std::uint64_t>(bad), static_cast<std::uint64_t>(draws));
        },
        draws * p, draws * p * (1 - p) * (all - draws) / (all - 1));
  }
  Random random(1, 1);
  EXPECT_EQ(draw_binomial(random, 5, 0), 0u);
  EXPECT_EQ(draw_binomial(random, 5, 1), 5u);
  EXPECT_EQ(draw_hypergeometric(random, 4, 0, 3), 3u);
}

TEST(Contingency, DrawnTablesKeepTheirMargins) {
  const Contingency table{3, 4, {5, 0, 2, 0, 0, 0, 0, 0, 9, 1, 0, 3}};
  for (std::uint64_t i = 0; i < 200; ++i) {
    Random random(7, stream("test"), i);
    const Contingency other = permuted(random, table);
    EXPECT_EQ(other.row_sums(), table.row_sums());
    EXPECT_EQ(other.column_sums(), table.column_sums());
    const Contingency again = resampled(random, table);
    EXPECT_EQ(again.n(), table.n());
    for (std::size_t j = 0; j < 12; ++j) EXPECT_TRUE(table.counts[j] > 0 || again.counts[j] == 0);
    const std::vector<std::uint64_t> weights{1, 0, 1, 0};
    const Contingency uniform = drawn_from(random, table, weights);
    EXPECT_EQ(uniform.row_sums(), table.row_sums());
    EXPECT_EQ(uniform.column_sums()[1] + uniform.column_sums()[3], 0u);
  }
}

// Fisher's exact test of (3 1; 1 3): 34/70 of the tables are at least as far from independence.
TEST(Contingency, PermutationIsFishersTest) {
  const Contingency table{2, 2, {3, 1, 1, 3}};
  const auto p = [&] {
    return chance_p(
        table, phi_squared, [&](Random& random) { return permuted(random, table); }, 40000, 1, 2);
  };
  const double two = at_threads(2, p);
  EXPECT_NEAR(two, 34. / 70, 4 * std::sqrt(.25 / 40000));
  EXPECT_EQ(at_threads(1, p), two);
}

TEST(Contingency, HolmsMethod) {
  const std::vector<double> p{.04, .01, .03};
  EXPECT_THAT(holm(p),
              ElementsAre(::testing::DoubleEq(.06), ::testing::DoubleEq(.03), ::testing::DoubleEq(.06)));
  EXPECT_THAT(holm(std::vector<double>{.9, .8}), ElementsAre(1, 1));
  EXPECT_THAT(holm(std::vector<double>{}), ElementsAre());
}

// Row i has the value i; `last` in place of the last one.
GroupColumn counted(std::size_t n, const std::string& last = "") {
  GroupColumn column{"age", {}, std::vector<std::int32_t>(n)};
  for (std::size_t i = 0; i < n; ++i) column.levels.push_back(std::to_string(i));
  std::iota(column.codes.begin(), column.codes.end(), 0);
  if (!last.empty()) column.levels.back() = last;
  return column;
}

TEST(NumberBins, LieBetweenTheQuartilesOfTheFirstSet) {
  GroupColumn source = counted(41, "nan"), target = counted(60);
  const auto numbers = put_in_bins(std::array{&source, &target});
  for (const GroupColumn* column : {&source, &target})
    EXPECT_THAT(column->levels,
                ElementsAre("up to 9", "above 9 to 19", "above 19 to 29", "above 29", "missing"));
  EXPECT_THAT(std::vector(target.codes.begin() + 30, target.codes.end()), Each(3));
  EXPECT_EQ(source.codes[9], 0);
  EXPECT_EQ(source.codes[10], 1);
  EXPECT_EQ(source.codes[40], 4);
  EXPECT_EQ(numbers[1][59], 59);
  EXPECT_TRUE(std::isnan(numbers[0][40]));
}

TEST(NumberBins, WordsForMissingValues) {
  for (const char* word : {"NA", "N/A", "?", "null", "None", "<NA>", "-"}) {
    GroupColumn source = counted(41, word);
    ASSERT_EQ(put_in_bins(std::array{&source}).size(), 1u) << word;
    EXPECT_EQ(source.levels.back(), "missing");
  }
}

TEST(NumberBins, CategoriesStayAsTheyAre) {
  for (const auto& [n, last, target_last] :
       {std::tuple(30u, "", ""), std::tuple(40u, "old", ""), std::tuple(40u, "", "old")}) {
    GroupColumn source = counted(n, last), target = counted(60, target_last);
    const std::vector<std::string> before = target.levels;
    EXPECT_TRUE(put_in_bins(std::array{&source, &target}).empty());
    EXPECT_EQ(target.levels, before);
  }
}

TEST(NumberBins, OfChosenRowsAndOfTables) {
  std::vector<GroupColumn> groups{counted(80)};
  std::vector<std::size_t> rows(40);
  std::iota(rows.begin(), rows.end(), std::size_t{40});
  put_in_bins(groups, rows);
  EXPECT_EQ(groups[0].levels.front(), "up to 49");
  AttributeTable source{"a.csv", {}, {{"size", {}, {}}}, {}}, target = source;
  for (std::uint16_t i = 0; i < 11; ++i)
    source.attributes[0].values.push_back(std::to_string(i) + ".5"), source.attributes[0].codes.push_back(i);
  target.attributes[0].values = {"3.5"}, target.attributes[0].codes = {0};
  put_in_bins(source, &target);
  EXPECT_EQ(source.attributes[0].values, target.attributes[0].values);
  EXPECT_THAT(target.attributes[0].codes, ElementsAre(1));  // edges 2.5, 5.5, 8.5
}

}  // namespace leeway::contingency_test
