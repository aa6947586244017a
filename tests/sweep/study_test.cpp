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
    EXPECT_NE(message_of([&] { (void)texts(unclear); }).find("expected a range for change.set."),
              std::string::npos)
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

struct Mistake {
  std::string text, place, expected, found;
};

TEST(Study, MistakesAreNamedByTheirPlace) {
  const std::string seeds = "[change]\nseed = [1, 2]";
  for (const Mistake& one : std::vector<Mistake>{
           {"", "", "a table for each stage", "none"},
           {"seed = 1", "line 1, column 1: ", "a key in [study] or in the table of a stage", "'seed'"},
           {"[study]\nsed = 1\n" + seeds, "line 2, column 1: ", "one of seed, threads",
            "'sed'; did you mean seed?"},
           {"[study]\nthreads = 0\n" + seeds,
            "line 2, column 1: ", "a whole number from 1 to 4096 for threads", "'0'"},
           {"[study]\nmemory = \"much\"\n" + seeds,
            "line 2, column 1: ", "a size such as 800M or 2G for memory", "'much'"},
           {"[chnage]\nseed = 1", "line 2, column 1: ", "a command of leeway",
            "'chnage'; did you mean change?"},
           {"[change]\nstrenth = [1, 2]", "line 2, column 1: ", "an option of leeway change",
            "'strenth'; did you"},
           {"[look]\nout = \"r.json\"",
            "line 2, column 1: ", "an option other than those the sweep itself sets", "'out'"},
           {"[change]\nhard = 1", "line 2, column 1: ", "true or false for hard", "another value"},
           {"[change]\ndata = true", "line 2, column 1: ", "a string, a number or a list for data", "true"},
           {"[change]\nseed = []", "line 2, column 1: ", "values for seed", "an empty list"},
           {"[change]\nseed = [1, 1]", "line 2, column 1: ", "different values", "a value twice"},
           {"[change]\nout = \"a/b.npz\"", "line 2, column 1: ", "a file name without a folder", "'a/b.npz'"},
           {"[change]\ndata = \"{chang}\"", "line 2, column 1: ", "{STAGE} or {STAGE.OPTION}",
            "'chang'; did you"},
           {"[change]\nseed = 1\ndata = \"{change.sed}\"", "line 3, column 1: ", "that [change] sets",
            "'sed'; did"},
           {"[a]\ncommand = \"change\"\ndata = \"{b}\"\n[b]\ncommand = \"change\"\ndata = \"{a}\"",
            "line 2, column 1: ", "stages that depend on earlier stages only", "a cycle through [a]"},
           {"[change]\nstrength = \"grid\"", "line 2, column 1: ", "\"grid N\" or \"random N\"", "'grid'"},
           {"[change]\nset.eta = \"grid 3\"", "line 2, column 5: ", "a range for change.set.eta", "'grid 3'"},
           {"[change]\nname = \"blur\"\nset.stesp = \"grid 3\"", "line 3, column 5: ", "a parameter of blur",
            "'stesp'; did you mean steps?"},
           {"[study]\nexclude = [\"change.seed=1|3\"]\n" + seeds,
            "line 2, column 1: ", "a value of change.seed", "'3'"},
           {"[study]\nexclude = [\"change.sed=1\"]\n" + seeds, "line 2, column 1: ", "one of change.seed",
            "'change.sed'; did you mean change.seed?"},
           {"[study]\nonly = [\"change.seed\"]\n" + seeds, "line 2, column 1: ", "AXIS=VALUE",
            "'change.seed'"},
           {"[study]\nonly = [\"change.seed<x\"]\n" + seeds, "line 2, column 1: ", "a number",
            "'change.seed<x'"}}) {
    const std::string message = message_of([&] { (void)study_of(one.text); });
    EXPECT_TRUE(message.starts_with("study.toml: " + one.place + "expected ")) << message;
    EXPECT_NE(message.find(one.expected), std::string::npos) << message;
    EXPECT_NE(message.find(", found " + one.found), std::string::npos) << message;
  }
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
