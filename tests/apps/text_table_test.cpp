// Tables for the terminal.
#include "apps/leeway/text_table.h"

#include <gtest/gtest.h>

namespace leeway::app {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table({left("name"), right("n", 4), left("note")});
  table.add("a", 1, "first");
  table.add("\u00e9t\u00e9s-long", 12345, "");
  EXPECT_EQ(table.text(),
            "name          n  note\n"
            "a             1  first\n"
            "\u00e9t\u00e9s-long 12345\n");
}

TEST(TextTable, TheLastCellOfAShortRowMayBeWider) {
  TextTable table({left("method"), left("adjusted"), right("MAE", 7)});
  table.add("dis2", "-", four(.25));
  table.add("", "violation rate 0.0500 of all");
  EXPECT_EQ(table.text(),
            "method  adjusted     MAE\n"
            "dis2    -         0.2500\n"
            "        violation rate 0.0500 of all\n");
}

TEST(TextTable, LongNamesAreCutInTheirMiddle) {
  TextTable table({left("name", 0, 8), right("n")}, 2);
  table.add(std::string(60, 'a') + std::string(60, 'b'), 7);
  const std::string text = table.text();
  EXPECT_EQ(text.find('\n'), 100u);
  EXPECT_NE(text.find("aa..bb"), std::string::npos);
}

TEST(TextTable, AColumnMayBeDropped) {
  TextTable table({left("model"), left("target")});
  table.add("m", "t");
  table.drop(0);
  EXPECT_EQ(table.text(), "target\nt\n");
}

TEST(Cells, WhatIsNotThereIsADash) {
  EXPECT_EQ(four(std::nullopt), "-");
  EXPECT_EQ(interval_text(std::nullopt), "-");
  EXPECT_EQ(interval_text(Interval{.25, .5}), "[0.2500, 0.5000]");
  EXPECT_EQ(percents(.25), "25.00");
  EXPECT_EQ(percents(Interval{.25, .5}), "[25.00, 50.00]");
  EXPECT_EQ(percents(std::optional<double>{}), "-");
  EXPECT_EQ(cut_at_front("runs/cnn/clean.npz", 12), "...clean.npz");
}

}  // namespace
}  // namespace leeway::app
