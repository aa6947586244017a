#include "leeway/core/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/message_of.h"

namespace leeway {
namespace {

using Kind = TomlEntry::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Toml, KeepsOrderTablesAndText) {
  const auto entries = parse_toml(
      "seed = 3\n"
      "level = 0.1\n"
      "[pa]\n"
      "ratios = \"0:1:0.1\"\n"
      "  quiet = true\n"
      "[assess]\n"
      "fail-if = [\"a<1\", 'b<2']\n"
      "mean = [1, 2.5, -inf]\n"
      "json = false\n"
      "images = []\n",
      "run.toml");
  ASSERT_EQ(entries.size(), 8U);
  EXPECT_EQ(entries[0].table, "");
  EXPECT_EQ(entries[0].key, "seed");
  EXPECT_EQ(entries[0].kind, Kind::scalar);
  EXPECT_THAT(entries[0].values, ElementsAre("3"));
  EXPECT_THAT(entries[1].values, ElementsAre("0.1"));
  EXPECT_EQ(entries[2].table, "pa");
  EXPECT_THAT(entries[2].values, ElementsAre("0:1:0.1"));
  EXPECT_EQ(entries[2].place, "run.toml: line 4, column 1");
  EXPECT_EQ(entries[3].kind, Kind::boolean);
  EXPECT_THAT(entries[3].values, ElementsAre("true"));
  EXPECT_EQ(entries[3].place, "run.toml: line 5, column 3");
  EXPECT_EQ(entries[4].kind, Kind::list);
  EXPECT_THAT(entries[4].values, ElementsAre("a<1", "b<2"));
  EXPECT_THAT(entries[5].values, ElementsAre("1", "2.5", "-inf"));
  EXPECT_THAT(entries[6].values, ElementsAre("false"));
  EXPECT_TRUE(entries[7].values.empty());
  EXPECT_TRUE(parse_toml("", "empty.toml").empty());
}

TEST(Toml, NumbersKeepEveryDigit) {
  const auto entries = parse_toml("a = 0.1234567890123456789\nb = 9223372036854775807\nc = 0xff\n", "f");
  EXPECT_EQ(std::stod(entries[0].values[0]), 0.1234567890123456789);
  EXPECT_EQ(entries[1].values[0], "9223372036854775807");
  EXPECT_EQ(entries[2].values[0], "255");
}

TEST(Toml, RefusesOtherValues) {
  const auto message = [](const std::string& text) {
    return message_of([&] { (void)parse_toml(text, "f.toml"); });
  };
  EXPECT_THAT(message("seed = \nout = 1"),
              HasSubstr("f.toml: line 1, column 8: expected TOML, found an error ("));
  EXPECT_THAT(message("a = 1\na = 2\n"), HasSubstr("f.toml: line 2"));
  EXPECT_THAT(message("a = \"\xff\"\n"), HasSubstr("f.toml: line 1"));
  EXPECT_THAT(message("when = 1979-05-27T.7:32:00Z\n"), HasSubstr("f.toml: line 1"));
  EXPECT_THAT(message("\uFEFE = 1\n"), HasSubstr("f.toml: line 1"));
  EXPECT_THAT(message("\nwhen = 1979-05-27\n"), ::testing::HasSubstr("found a date or time"));
  EXPECT_THAT(message("[bound]\n[bound.evaluate.deep]\nx = 1\n"),
              ::testing::HasSubstr("true, false or a list, found a table"));
  EXPECT_THAT(message("a = [1, [2]]\n"), ::testing::HasSubstr("a number in a list, found a list"));
  EXPECT_THAT(message("a = [true]\n"), ::testing::HasSubstr("found a boolean"));
  EXPECT_EQ(message("a = \"x\\u0000\"\n"),
            "f.toml: line 1, column 5: expected a string without the null character, found 'x\\x00'");
}

}  // namespace
}  // namespace leeway
