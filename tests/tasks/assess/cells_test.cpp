#include "leeway/tasks/assess/detail/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leeway::assess {
namespace {

// Eight rows, two classes, an attribute; the third class has no rows.
//   row        0 1 2 3 4 5 6 7
//   label      0 0 0 0 1 1 1 1
//   clean      0 0 0 1 1 1 1 1
//   shifted    0 0 1 1 0 1 1 0
//   place      a a b b a a b b
const std::vector<std::int64_t> labels{0, 0, 0, 0, 1, 1, 1, 1};
const std::vector<std::int32_t> clean{0, 0, 0, 1, 1, 1, 1, 1}, shifted{0, 0, 1, 1, 0, 1, 1, 0};
const std::vector<GroupColumn> places{{"place", {"a", "b"}, {0, 0, 1, 1, 0, 0, 1, 1}}};
const CellOptions paired{true, .95, {"cat", "dog", "eel"}};

TEST(ClassCells, ByLabelWorstFirst) {
  const auto cells = class_cells({clean, labels, nullptr}, {shifted, labels, nullptr}, paired);
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].name, "cat");  // 2 of 4 right, as dog: ties by class
  EXPECT_EQ(cells[0].accuracy->count, 2u);
  EXPECT_EQ(cells[0].source_accuracy->count, 3u);
  EXPECT_EQ(cells[0].afr_pred->count, 3u);
  EXPECT_EQ(cells[1].name, "dog");
  EXPECT_EQ(cells[1].accuracy->value, .5);
  EXPECT_EQ(cells[1].source_accuracy->value, 1);
  EXPECT_EQ(cells[1].afr_pred->count, 2u);
  EXPECT_EQ(cells[2].name, "eel");
  EXPECT_EQ(cells[2].n, 0u);
  EXPECT_FALSE(cells[2].accuracy);
}

TEST(ClassCells, ByCleanPredictionWithoutLabels) {
  const auto cells = class_cells({clean, {}, nullptr}, {shifted, {}, nullptr}, paired);
  EXPECT_EQ(cells[0].name, "dog");  // taken for dog: rows 3..7, of which 3, 5 and 6 stay
  EXPECT_EQ(cells[0].n, 5u);
  EXPECT_EQ(cells[0].afr_pred->count, 3u);
  EXPECT_FALSE(cells[0].accuracy);
  EXPECT_EQ(cells[1].afr_pred->count, 2u);  // cat: 2 of 3
}

TEST(ClassCells, AreUnknownWithoutLabelsAndPairs) {
  CellOptions unpaired = paired;
  unpaired.paired = false;
  EXPECT_TRUE(class_cells({clean, labels, nullptr}, {shifted, {}, nullptr}, unpaired).empty());
  const auto cells = class_cells({clean, {}, nullptr}, {shifted, labels, nullptr}, unpaired);
  EXPECT_EQ(cells[0].accuracy->n, 4u);
  EXPECT_FALSE(cells[0].afr_pred);
  EXPECT_FALSE(cells[0].source_accuracy);
}

TEST(GroupCells, HoldTheAttributeAndItsCrossingWithTheClass) {
  // place a: rows 0 1 4 5, 3 right; b: rows 2 3 6 7, 1 right.
  // cat/a 2 of 2, cat/b 0 of 2, dog/a 1 of 2, dog/b 1 of 2.
  const auto cells = group_cells({clean, labels, &places}, {shifted, labels, &places}, paired);
  std::vector<std::string> names;
  for (const Cell& cell : cells) names.push_back(cell.group + "=" + cell.name);
  EXPECT_THAT(names, ::testing::ElementsAre("class / place=cat / b", "place=b", "class / place=dog / a",
                                            "class / place=dog / b", "place=a", "class / place=cat / a"));
  EXPECT_EQ(cells[0].accuracy->count, 0u);
  EXPECT_EQ(cells[0].source_accuracy->count, 1u);
  EXPECT_EQ(cells[1].accuracy->value, .25);
  EXPECT_EQ(cells[4].accuracy->value, .75);
}

TEST(GroupCells, MatchLevelsOfTheSourceByName) {
  // The source knows the levels b and c: its b counts, its c does not.
  const std::vector<GroupColumn> other{{"place", {"b", "c"}, {0, 0, 0, 0, 1, 1, 1, 1}}};
  const auto cells =
      group_cells({clean, labels, &other}, {shifted, labels, &places}, {false, .95, {"cat", "dog"}});
  for (const Cell& cell : cells) {
    if (cell.group != "place") continue;
    EXPECT_EQ(cell.source_n, cell.name == "b" ? 4u : 0u);
    EXPECT_EQ(cell.source_accuracy.has_value(), cell.name == "b");
    EXPECT_EQ(cell.source_accuracy.value_or(Share{}).count, cell.name == "b" ? 3u : 0u);
  }
}

TEST(GroupCells, WithoutLabelsShowAgreementAlone) {
  const auto cells = group_cells({clean, {}, &places}, {shifted, {}, &places}, paired);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].name, "b");  // rows 2 3 6 7: 2 stay; a: 3 stay
  EXPECT_EQ(cells[0].afr_pred->value, .5);
  EXPECT_EQ(cells[1].afr_pred->value, .75);
}

}  // namespace
}  // namespace leeway::assess
