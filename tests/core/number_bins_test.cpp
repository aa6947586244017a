#include "leeway/core/number_bins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

namespace leeway {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

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

// Few values, a word on either side, numbers of the target alone.
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

}  // namespace
}  // namespace leeway
