// Studies: what they say, and one clear line where they are wrong.
#include "leeway/sweep/study.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "leeway/sweep/axis.h"
#include "tests/message_of.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing {
namespace {

TEST(Study, SettingsStandInTheOrderOfTheCommandsDescription) {
  const Study study = study_of("[change]\nseed = [1, 2]\nname = \"blur\"\nset.b = 1\nset.a = 2\n");
  const Stage& stage = study.stages.at(0);
  std::vector<std::string> names;
  for (const Setting& setting : stage.settings) names.push_back(axis_name(stage, setting));
  EXPECT_EQ(names, (std::vector<std::string>{"change.name", "change.set.a", "change.set.b", "change.seed"}));
  EXPECT_EQ(stage.settings.back().values.size(), 2u);
}

TEST(Study, PartsOfAnOptionMayBeRanges) {
  const Study study = study_of("[change]\nset.eta = \"grid 3 from 0 to 1\"\nset.file = \"random.npz\"\n");
  EXPECT_EQ(study.stages.at(0).settings.at(0).texts, (std::vector<std::string>{"0", "0.5", "1"}));
  EXPECT_EQ(study.stages.at(0).settings.at(1).texts, (std::vector<std::string>{"random.npz"}));
}

// A parameter of a member has the range of its own description: around its default, as far as values are legal.
TEST(Study, PartsAreRangedAsTheirMemberSays) {
  const auto texts = [](const std::string& lines) {
    return study_of("[change]\n" + lines).stages.at(0).settings.back().texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts("name = \"odd\"\nset.eta = \"grid 3\""), (Texts{"0.1", "1", "10"}));
  EXPECT_EQ(texts("name = [\"blur\", \"noise\"]\nset.eta = \"grid 2\""), (Texts{"0.01", "0.5"}));
  EXPECT_EQ(texts("name = \"blur\"\nset.steps = \"grid 3\""), (Texts{"1", "5", "30"})) << "rounded";
  EXPECT_EQ(texts("set.twice = \"grid 2\""), (Texts{"0", "1"})) << "of the only member that has it";
  for (const char* const unclear : {"set.eta = \"grid 3\"", "name = \"noise\"\nset.weight = \"grid 3\""})
    EXPECT_NE(message_of([&] { (void)texts(unclear); }).find("expected for change.set."), std::string::npos)
        << unclear;
}

TEST(Study, ReferencesAreFilesOrValues) {
  const Study study = study_of(
      "[draw]\ncommand = \"data draw\"\nseed = [1, 2]\nout = \"x.npz\"\n"
      "[change]\ndata = \"{draw}\"\nseed = \"{draw.seed}\"\n[look]\nsource = \"{change}\"\ntarget = "
      "\"{{draw}} {}\"\n");
  const Stage& change = study.stages.at(1);
  EXPECT_EQ(change.reads, (std::vector<std::size_t>{0}));
  EXPECT_EQ(change.settings.at(0).values.at(0).at(0).kind, Piece::Kind::file);
  EXPECT_EQ(change.settings.at(0).values.at(0).at(0).text, "x.npz");
  EXPECT_EQ(change.settings.at(1).values.at(0).at(0).kind, Piece::Kind::value);
  const Stage& look = study.stages.at(2);
  EXPECT_EQ(look.settings.at(0).values.at(0).at(0).text, record_file) << "change has no out";
  EXPECT_EQ(look.settings.at(1).values.at(0).at(0).text, "{draw} {}");
}

TEST(Study, OneClearLineForEachMistake) {
  const auto wrong = [](const char* text) { return message_of([&] { (void)study_of(text); }); };
  const auto expect = [&](const char* text, const std::string& line) {
    EXPECT_EQ(wrong(text), line) << text;
  };
  expect("", "study.toml: expected a table for each stage, such as [shift], found none");
  expect("seed = 1",
         "study.toml: line 1, column 1: expected a key in [study] or in a stage's table, found 'seed'");
  expect("[study]\nsed = 1\n[look]\nseed = 1",
         "study.toml: line 2, column 1: expected in [study] one of seed, threads, memory, exclude, only, "
         "found 'sed'; did "
         "you mean seed?");
  expect("[study]\nthreads = 0\n[look]\nseed = 1",
         "study.toml: line 2, column 1: expected for threads a whole number from 1 to 4096, found '0'");
  expect("[study]\nmemory = \"much\"\n[look]\nseed = 1",
         "study.toml: line 2, column 1: expected for memory a size such as 800M or 2G, found 'much'");
  expect("[chnage]\nseed = 1",
         "study.toml: line 2, column 1: expected a command of leeway as a stage's name or as its `command`, "
         "found 'chnage'; "
         "did you mean change?");
  expect("[change]\nstrenth = [1, 2]",
         "study.toml: line 2, column 1: expected an option of leeway change, found 'strenth'; did you mean "
         "strength?");
  expect("[look]\nout = \"r.json\"",
         "study.toml: line 2, column 1: expected an option that a sweep does not set itself, found 'out'");
  expect("[change]\nhard = 1",
         "study.toml: line 2, column 1: expected true or false for hard, found another value");
  expect("[change]\ndata = true",
         "study.toml: line 2, column 1: expected a text, a number or a list for data, found true");
  expect("[change]\nseed = []",
         "study.toml: line 2, column 1: expected values for seed, found an empty list");
  expect("[change]\nseed = [1, 1]",
         "study.toml: line 2, column 1: expected values that differ, found one of them twice");
  expect("[change]\nout = \"a/b.npz\"",
         "study.toml: line 2, column 1: expected a file's name without a folder, such as out.npz, found "
         "'a/b.npz'");
  expect("[change]\ndata = \"{chang}\"",
         "study.toml: line 2, column 1: expected {STAGE} or {STAGE.OPTION} in braces, found 'chang'; did you "
         "mean change?");
  expect(
      "[change]\nseed = 1\ndata = \"{change.sed}\"",
      "study.toml: line 3, column 1: expected an option that [change] sets, found 'sed'; did you mean seed?");
  expect("[a]\ncommand = \"change\"\ndata = \"{b}\"\n[b]\ncommand = \"change\"\ndata = \"{a}\"",
         "study.toml: line 2, column 1: expected stages that go by earlier ones, found a circle through [a]");
  expect("[change]\nstrength = \"grid\"",
         "study.toml: line 2, column 1: expected for change.strength \"grid N\" or \"random N\", then \"from "
         "LOW to HIGH\" "
         "and \"log\", found 'grid'");
  expect(
      "[change]\nset.eta = \"grid 3\"",
      "study.toml: line 2, column 5: expected for change.set.eta a range, as in \"grid 3 from LOW to HIGH\", "
      "since it has no default, or several, found 'grid 3'");
  expect("[change]\nname = \"blur\"\nset.stesp = \"grid 3\"",
         "study.toml: line 3, column 5: expected a parameter of blur, found 'stesp'; did you mean steps?");
  expect("[study]\nexclude = [\"change.seed=1|3\"]\n[change]\nseed = [1, 2]",
         "study.toml: line 2, column 1: expected in a rule a value of change.seed, found '3'");
  expect("[study]\nexclude = [\"change.sed=1\"]\n[change]\nseed = [1, 2]",
         "study.toml: line 2, column 1: expected an axis, one of change.seed, found 'change.sed'; did you "
         "mean change.seed?");
  expect("[study]\nonly = [\"change.seed\"]\n[change]\nseed = [1, 2]",
         "study.toml: line 2, column 1: expected AXIS=VALUE, found 'change.seed'");
  expect("[study]\nonly = [\"change.seed<x\"]\n[change]\nseed = [1, 2]",
         "study.toml: line 2, column 1: expected a number, found 'change.seed<x'");
}

std::vector<std::string> range(const std::string& text, bool whole = false, std::uint64_t seed = 0) {
  CatalogOption option;
  option.name = "lr", option.number = true, option.whole = whole, option.default_text = "0.001";
  return values_of_range(option, text, "train.lr", seed, "study.toml: line 1, column 1");
}

TEST(AxisRange, GridsHaveBothEnds) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(range("grid 3"), (Values{"0.0001", "0.001", "0.01"})) << "a tenth of the default to ten times it";
  EXPECT_EQ(range("grid 3 from 0 to 1"), (Values{"0", "0.5", "1"}));
  EXPECT_EQ(range("grid 1 from 0 to 1"), (Values{"0.5"}));
  EXPECT_EQ(range("grid 3 from 1 to 100 log"), (Values{"1", "10", "100"}));
  EXPECT_EQ(range("grid 9 from 1 to 3", true), (Values{"1", "2", "3"})) << "whole numbers stand once";
}

RC_GTEST_PROP(AxisRange, MoreDrawsBeginWithTheSameOnes, (std::uint8_t seed)) {
  const auto few = range("random 5 from 0.1 to 10 log", false, seed),
             many = range("random 9 from 0.1 to 10 log", false, seed);
  RC_ASSERT(std::equal(few.begin(), few.end(), many.begin()));
  for (const std::string& value : many) RC_ASSERT(std::stod(value) >= .1 && std::stod(value) <= 10);
  RC_ASSERT(many != range("random 9 from 0.1 to 10 log", false, seed + 1u));
}

TEST(Rules, CompareNumbersAsNumbersAndWordsAsWords) {
  const auto is = [](const char* rule, const char* value) {
    return holds(parse_rule(rule, "x").at(0), value);
  };
  EXPECT_TRUE(is("a=0.10", "0.1"));
  EXPECT_TRUE(is("a = x | y", "y"));
  EXPECT_FALSE(is("a=x|y", "z"));
  EXPECT_TRUE(is("a!=x|y", "z"));
  EXPECT_TRUE(is("a<=2", "2"));
  EXPECT_FALSE(is("a<2", "2"));
  EXPECT_TRUE(is("a>1e-3", "0.01"));
  EXPECT_FALSE(is("a>1", "word"));
}

}  // namespace
}  // namespace leeway::sweep::testing
