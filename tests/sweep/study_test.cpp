#include "leeway/sweep/study.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "leeway/sweep/axis.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/script.h"
#include "tests/core/files.h"
#include "tests/message_of.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing::study_test {

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
    EXPECT_REFUSED(texts(unclear), "expected a range for change.set... found 'grid 3'");
}

TEST(Study, ReferencesAreFilesOrValues) {
  const Study study = study_of(
      "[draw]\ncommand = \"data draw\"\nseed = [1, 2]\nout = \"x.npz\"\n"
      "[change]\ndata = \"{draw}\"\nseed = \"{draw.seed}\"\n[look]\nsource = \"{change}\"\ntarget = "
      "\"{{draw}} {}\"\n");
  const Stage& change = study.stages.at(1);
  EXPECT_EQ(change.reads, (std::set<std::size_t>{0}));
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
           {"[study]\nthreads = 0\n" + seeds, "line 2, column 1: ", "an integer from 1 to 4096 for threads",
            "'0'"},
           {"[study]\nmemory = \"much\"\n" + seeds,
            "line 2, column 1: ", "a size such as 800M or 2G for memory", "'much'"},
           {"[chnage]\nseed = 1", "line 2, column 1: ", "a command of leeway",
            "'chnage'; did you mean change?"},
           {"[change]\nstrenth = [1, 2]", "line 2, column 1: ", "an option of leeway change",
            "'strenth'; did you"},
           {"[look]\nout = \"r.json\"", "line 2, column 1: ", "an option that the sweep does not set itself",
            "'out'"},
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
    EXPECT_THAT(message, ::testing::HasSubstr(one.expected));
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
  EXPECT_EQ(range("grid 9 from 1 to 3", true), (Values{"1", "2", "3"})) << "integers stand once";
}

TEST(AxisRange, MoreDrawsBeginWithTheSameOnes) {
  for (const std::uint64_t seed : {0, 1, 255}) {
    const auto few = range("random 5 from 0.1 to 10 log", false, seed),
               many = range("random 9 from 0.1 to 10 log", false, seed);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
    for (const std::string& value : many) EXPECT_TRUE(std::stod(value) >= .1 && std::stod(value) <= 10);
    EXPECT_NE(many, range("random 9 from 0.1 to 10 log", false, seed + 1));
  }
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

constexpr const char* chain =
    "[draw]\ncommand = \"data draw\"\nseed = [1, 2]\nout = \"x.npz\"\n"
    "[change]\ndata = \"{draw}\"\nname = [\"blur\", \"noise\", \"turn\"]\nout = \"y.npz\"\n"
    "[look]\nsource = \"{draw}\"\ntarget = \"{change}\"\nseed = \"{draw.seed}\"\n";

std::set<std::string> names_of(const Plan& plan) {
  std::set<std::string> names;
  for (const Unit& unit : plan.units) names.insert(unit.name);
  return names;
}

std::map<std::string, std::size_t> counts_of(const Plan& plan) {
  std::map<std::string, std::size_t> counts;
  for (const Unit& unit : plan.units) ++counts[unit.stage];
  return counts;
}

bool contains(const Plan& plan, const Plan& part) {
  const auto all = names_of(plan), some = names_of(part);
  return std::ranges::includes(all, some);
}

TEST(Plan, StagesShareWhatTheyHaveInCommon) {
  const Plan plan = plan_of(chain);
  EXPECT_EQ(counts_of(plan), (std::map<std::string, std::size_t>{{"draw", 2}, {"change", 6}, {"look", 6}}));
  EXPECT_EQ(names_of(plan).size(), plan.units.size());
}

TEST(Plan, WordsNameFilesOfOtherUnits) {
  const Plan plan = plan_of(chain);
  const Unit& look = plan.units.back();
  const std::string &draw = look.needs.at(0), &change = look.needs.at(1);
  EXPECT_EQ(look.words, (std::vector<std::string>{
                            "look", "--source", "../../../units/" + draw.substr(0, 2) + "/" + draw + "/x.npz",
                            "--target", "../../../units/" + change.substr(0, 2) + "/" + change + "/y.npz",
                            "--seed", "2", "--threads", "1", "--json"}));
  EXPECT_EQ(look.axes, (std::map<std::string, std::string>{{"draw.seed", "2"}, {"change.name", "turn"}}));
}

TEST(Plan, NamesAreStable) {
  const Plan plan = plan_of(chain);
  EXPECT_EQ(names_of(plan), names_of(plan_of(chain)));
  EXPECT_EQ(names_of(plan),
            names_of(plan_of(
                "[look]\ntarget = \"{change}\"\nsource = \"{draw}\"\nseed = \"{draw.seed}\"\n"
                "[change]\nout = \"y.npz\"\nname = [\"turn\", \"blur\", \"noise\"]\ndata = \"{draw}\"\n"
                "[draw]\nout = \"x.npz\"\nseed = [2, 1]\ncommand = \"data draw\"\n")));
  EXPECT_NE(names_of(plan), names_of(plan_of(std::string("[study]\nthreads = 2\n") + chain)));
}

TEST(Plan, AChangedStudyKeepsWhatStillHolds) {
  const Plan plan = plan_of(chain);
  std::string more(chain);
  more.replace(more.find("[1, 2]"), 6, "[1, 2, 3]");
  const Plan larger = plan_of(more);
  EXPECT_TRUE(contains(larger, plan));
  EXPECT_EQ(larger.units.size(), 21u);
}

TEST(Plan, FilesCountByTheirContents) {
  const TemporaryFolder folder;
  const auto plan_with = [&](const std::filesystem::path& path) {
    return plan_of("[look]\nsource = \"m=" + path.string() + "\"\nseed = [1, 2]\n");
  };
  const auto a = write_bytes(folder / "a.npz", "one");
  const auto before = names_of(plan_with(a));
  std::filesystem::create_directory(folder / "b");
  const auto b = write_bytes(folder / "b" / "a.npz", "one");
  EXPECT_EQ(before, names_of(plan_with(b))) << "another folder";
  write_bytes(a, "two");
  EXPECT_NE(before, names_of(plan_with(a)));
}

TEST(Plan, FilesCountWhereAReferenceIsPartOfTheirName) {
  const TemporaryFolder folder;
  for (const char* const seed : {"1", "2"}) {
    std::filesystem::create_directory(folder / seed);
    write_bytes(folder / seed / "a.npz", seed);
  }
  const auto planned = [&] {
    return plan_of(
        "[draw]\ncommand = \"data draw\"\nseed = [1, 2]\nout = \"x.npz\"\n[look]\nsource = \"{draw}\"\n"
        "target = \"new=" +
        folder.path().string() + "/{draw.seed}/a.npz\"\n");
  };
  const Plan before = planned();
  EXPECT_EQ(before.inputs.size(), 2u);
  for (const auto& [word, identity] : before.inputs) {
    EXPECT_TRUE(word.starts_with("new=/")) << word;
    EXPECT_TRUE(identity.starts_with("new=a.npz:")) << identity;
  }
  write_bytes(folder / "2" / "a.npz", "other");
  EXPECT_FALSE(contains(planned(), before));
}

TEST(Plan, RulesLeaveOutCombinations) {
  const auto with = [](const std::string& rules) { return plan_of("[study]\n" + rules + "\n" + chain); };
  EXPECT_EQ(counts_of(with("exclude = [\"change.name=blur, draw.seed>1\"]"))["look"], 5u);
  EXPECT_EQ(counts_of(with("only = [\"draw.seed=1\"]")),
            (std::map<std::string, std::size_t>{{"draw", 1}, {"change", 3}, {"look", 3}}));
  const Plan both = with("only = [\"draw.seed=1, change.name=blur\", \"change.name=turn\"]");
  EXPECT_EQ(both.units.size() - counts_of(both)["draw"], 6u);
  EXPECT_EQ(both.left_out, 3u);
  EXPECT_REFUSED(with("only = [\"draw.seed>7\"]"), "found none: the rules exclude all 6 combinations");
}

// Hence a shift, a chain of changes or a start that some runs do not have; such a unit is that of a study without the option.
TEST(Plan, AnEmptyTextAmongSeveralValuesLeavesTheOptionOut) {
  const Plan plan =
      plan_of("[draw]\ncommand = \"data draw\"\nsize = [\"\", 32]\nname = [\"\", \"a\"]\nout = \"x.npz\"\n");
  ASSERT_EQ(plan.units.size(), 4u);
  EXPECT_EQ(plan.units[0].words,
            (std::vector<std::string>{"data", "draw", "--out", "x.npz", "--threads", "1", "--json"}));
  EXPECT_EQ(plan.units[3].words, (std::vector<std::string>{"data", "draw", "a", "--size", "32", "--out",
                                                           "x.npz", "--threads", "1", "--json"}));
  EXPECT_EQ(plan.units[1].axes, (std::map<std::string, std::string>{{"draw.name", ""}, {"draw.size", "32"}}));
  EXPECT_TRUE(contains(plan, plan_of("[draw]\ncommand = \"data draw\"\nout = \"x.npz\"\n")));
  EXPECT_EQ(plan_of("[study]\nexclude = [\"draw.size=, draw.name=\"]\n[draw]\ncommand = \"data draw\"\n"
                    "size = [\"\", 32]\nname = [\"\", \"a\"]\nout = \"x.npz\"\n")
                .units.size(),
            3u);
}

TEST(Plan, AUnitNeedsWhatItsOwnValuesName) {
  const Plan plan = plan_of(
      "[a]\ncommand = \"data draw\"\nseed = 3\nout = \"x.npz\"\n"
      "[b]\ncommand = \"data draw\"\nseed = [7, 8]\nout = \"x.npz\"\n"
      "[change]\ndata = [\"{a}\", \"{b}\"]\nname = [\"blur\", \"turn\"]\nout = \"y.npz\"\n"
      "[look]\nsource = \"{change}\"\ntarget = [\"\", \"{b}\"]\nseed = 1\n");
  EXPECT_EQ(counts_of(plan),
            (std::map<std::string, std::size_t>{{"a", 1}, {"b", 2}, {"change", 6}, {"look", 14}}))
      << "those that read {a} alone: 2, {a} and {b}: 4, {b} alone: 4, {b} twice: 4";
  std::map<std::string, std::size_t> seen;  // of look, by stages that it needs and axes
  for (const Unit& unit : plan.units) {
    if (unit.stage != "look") continue;
    std::string needs;
    for (const std::string& other : unit.needs)
      needs += std::ranges::find(plan.units, other, &Unit::name)->stage + " ";
    for (const auto& [axis, value] : unit.axes) needs += axis + " ";
    ++seen[needs];
  }
  EXPECT_EQ(seen,
            (std::map<std::string, std::size_t>{{"change change.data change.name look.target ", 2},
                                                {"b change b.seed change.data change.name look.target ", 8},
                                                {"change b.seed change.data change.name look.target ", 4}}));
}

TEST(Plan, RulesAboutAnAxisThatAUnitDoesNotHaveDoNotApply) {
  const Plan plan = plan_of(
      "[study]\nexclude = [\"b.seed=7|8\"]\n[a]\ncommand = \"data draw\"\nseed = 3\nout = \"x.npz\"\n"
      "[b]\ncommand = \"data draw\"\nseed = [7, 8]\nout = \"x.npz\"\n"
      "[look]\nsource = [\"{a}\", \"{b}\"]\nseed = 1\n");
  EXPECT_EQ(counts_of(plan), (std::map<std::string, std::size_t>{{"a", 1}, {"look", 1}}));
  EXPECT_EQ(plan.combinations, 3u) << "{a}, and {b} of two seeds";
  EXPECT_EQ(plan.left_out, 2u);
}

TEST(Plan, CombinationsAreOfAxesThatUnitsHave) {
  std::string text, names;
  for (int i = 0; i < 12; ++i) {
    const std::string stage = "s" + std::to_string(i);
    text += "[" + stage +
            "]\ncommand = \"data draw\"\nseed = \"grid 100 from 1 to 100\"\nsize = " + std::to_string(i) +
            "\nout = \"x.npz\"\n";
    names += (i > 0 ? ", " : "") + ("\"{" + stage + "}\"");
  }
  const Plan plan = plan_of(text + "[look]\nsource = [" + names + "]\nseed = 1\n");
  EXPECT_EQ(plan.combinations, 1200u);
  EXPECT_EQ(counts_of(plan)["look"], 1200u);
}

TEST(Plan, RefusesWhatACommandOrAMemberDoesNotTake) {
  for (const auto& [text, place, found] : std::vector<std::array<std::string, 3>>{
           {"name = [\"blur\", \"nois\"]", "line 2, column 1: expected a change",
            "'nois'; did you mean noise?"},
           {"name = \"blur\"\nset.eta = [0.1, 0.7]",
            "line 3, column 5: expected a number from 0 to 0.5 for eta of blur", "'0.7'"},
           {"name = \"blur\"\nset = \"steps=1.5\"", "line 3, column 1: expected an integer", "'1.5'"},
           {"name = [\"odd\", \"noise\"]\nset.weight = [1, 2]",
            "line 3, column 5: expected a parameter of odd: eta", "'weight'"},
           {"name = \"noise,blur\"\nset.weight = 1",
            "line 3, column 5: expected a parameter of blur: eta, steps", "'weight'"},
           {"name = \"blur\"\nset = \"eta\"", "line 3, column 1: expected NAME=NUMBER for set", "'eta'"},
           {"name = \"turn\"\nset.eta = 0.1", "line 3, column 5: expected no parameter for turn", "'eta'"},
           {"lr = 1\nname = [\"blur\", \"forbidden\"]", "line 3, column 1: expected options in [change]",
            "(--name: "},
           {"seed = \"grid 200000 from 0 to 1000000000\"\nlr = \"grid 100\"",
            "line 2, column 1: expected at most 1,000,000", "more"}}) {
    const std::string message = message_of([&, &text = text] { (void)plan_of("[change]\n" + text + "\n"); });
    EXPECT_TRUE(message.starts_with("study.toml: " + place)) << message;
    EXPECT_THAT(message, ::testing::HasSubstr(found));
  }
  const auto units = [](const std::string& text) { return plan_of(text).units.size(); };
  EXPECT_EQ(units("[change]\nname = \"blur,noise\"\nset.eta = [\"1/4\", 0.1]\n"), 2u) << "a fraction";
  EXPECT_EQ(units("[study]\nexclude = [\"change.name=odd, change.set.weight!=\"]\n"
                  "[change]\nname = [\"odd\", \"noise\"]\nset.weight = [\"\", 1, 2]\n"),
            4u);
  EXPECT_EQ(units("[change]\nset.anything = [1, 2]\n"), 2u) << "nothing is named";
}

TEST(PlanFile, HoldsThePlan) {
  const TemporaryFolder folder;
  const Plan plan = plan_of(std::string("[study]\nthreads = 2\nmemory = \"1G\"\n") + chain);
  write_plan(folder / "plan.jsonl", plan);
  const Plan file = read_plan(folder / "plan.jsonl");
  EXPECT_EQ(file.threads, 2u);
  EXPECT_EQ(file.memory, std::uint64_t{1} << 30);
  EXPECT_EQ(file.axes.at(1).name, "change.name");
  ASSERT_EQ(file.units.size(), plan.units.size());
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    EXPECT_EQ(file.units[i].name, plan.units[i].name);
    EXPECT_EQ(file.units[i].needs, plan.units[i].needs);
    EXPECT_EQ(file.units[i].words, plan.units[i].words);
  }
}

TEST(PlanFile, OneClearLineForEachMistake) {
  const TemporaryFolder folder;
  const auto path = folder / "plan.jsonl";
  write_plan(path, plan_of(chain));
  const std::string text = read_bytes(path);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  for (const auto& [changed, words] : std::vector<std::pair<std::string, std::string>>{
           {replaced("leeway.sweep/2", "leeway.sweep/1"),
            "leeway.sweep/2, found 'leeway.sweep/1', written by"},
           {text.substr(0, text.rfind("{\"unit\"")), "found a changed plan"},
           {"", "line 1: expected JSON, as written by leeway sweep plan, found invalid content"},
           {text.substr(0, text.size() - 20), "line 15: expected JSON"},
           {replaced("\"threads\":1", "\"threads\":4097"), "from 1 to 4096 at threads, found 4097"},
           {replaced("\"name\":\"draw\"", "\"name\":\"a\\u001b[2J\""), "stage names of a-z"},
           {replaced("\"unit\":\"", "\"unit\":\"../"), "32 hexadecimal digits, found '../"},
           {replaced("\"words\":[", "\"words\":[1,"), "line 2: expected a string at words[0], found 1"},
           {replaced("\"draw.seed\":\"", "\"draw.seed\":[],\"x\":\""), "at axes.draw.seed, found array"},
           {replaced("\"stages\":",
                     "\"x\":" + std::string(200'000, '[') + std::string(200'000, ']') + ",\"stages\":"),
            "at most 100 levels deep"},
           {text.substr(0, text.find('\n') + 1), "found a changed plan"},
           {replaced("\"stage\":\"draw\"", "\"stage\":\"x\""), "a stage of the first line, found 'x'"},
           {replaced("\"words\":[\"", "\"words\":[\"x"), "found a changed plan"},
           {replaced("\"threads\":1", "\"threads\":2"), "found a changed plan"}}) {
    write_bytes(path, changed);
    const std::string message = message_of([&] { (void)read_plan(path); });
    EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
    EXPECT_THAT(message, ::testing::HasSubstr(words));
  }
}

TEST(Plan, WordsThatNoStudyGivesAreRefused) {
  const Plan plan = plan_of("[d]\ncommand = \"data draw\"\nname = \"a\"\nsize = 4\nout = \"d.npz\"\n");
  require_runnable(plan, small_catalog(), "p");
  using Words = std::vector<std::string>;
  for (const auto& [words, found] :
       std::vector<std::pair<Words, std::string>>{{{"--out", "../../home/.bashrc"}, "'../../home/.bashrc'"},
                                                  {{"--out=../../.bashrc"}, "'--out=../../.bashrc'"},
                                                  {{"--size", "4", "--table", ".profile"}, "'.profile'"},
                                                  {{"--config", "x.toml"}, "'--config'"},
                                                  {{"--size", "--out", "../../home/.bashrc"}, "'--out'"},
                                                  {{"--out"}, "none"}}) {
    Plan changed = plan;
    Words& given = changed.units[0].words;
    ASSERT_EQ(given.at(3), "--size");
    given.erase(given.begin() + 3, given.begin() + 7);
    given.insert(given.begin() + 3, words.begin(), words.end());
    const std::string message = message_of([&] { require_runnable(changed, small_catalog(), "p"); });
    EXPECT_TRUE(message.starts_with("p: line 2: expected ")) << message;
    EXPECT_TRUE(message.ends_with("found " + found)) << message;
  }
  Plan changed = plan;  // words of another command than the stage's
  changed.stages[0].command = "look";
  EXPECT_REFUSED(require_runnable(changed, small_catalog(), "p"), "a command line of 'look'...");
  changed.stages[0].command = "rm";  // another program
  changed.units[0].words.erase(changed.units[0].words.begin());
  changed.units[0].words[0] = "rm";
  EXPECT_REFUSED(require_runnable(changed, small_catalog(), "p"), "a command line of 'rm'...");
  changed.version = "9.0.0";
  EXPECT_REFUSED(require_runnable(changed, small_catalog(), "p"),
                 "different folder), found a plan made by leeway 9.0.0");
}

// Each stage reads the one before twice: what is known of a stage is looked up, not worked out again.
TEST(Plan, IsLinearInTheStages) {
  std::string files = "[s0]\ncommand = \"look\"\nsource = \"a\"\n",
              values =
                  "[s0]\ncommand = \"look\"\nsource = \"\"\nmethods = \"" + std::string(40, 'x') + "\"\n",
              empty = values;
  for (int i = 1; i < 40; ++i) {
    files +=
        fmt::format("[s{0}]\ncommand = \"look\"\nsource = \"{{s{1}}}\"\ntarget = \"{{s{1}}}\"\n", i, i - 1);
    values += fmt::format(
        "[s{0}]\ncommand = \"look\"\nsource = \"a\"\nmethods = \"{{s{1}.methods}}{{s{1}.methods}}\"\n", i,
        i - 1);
    empty +=
        fmt::format("[s{0}]\ncommand = \"look\"\nsource = \"{{s{1}.source}}{{s{1}.source}}\"\n", i, i - 1);
  }
  EXPECT_EQ(plan_of(files).units.size(), 40u);
  EXPECT_REFUSED(plan_of(values), "at most 100,000 characters...");
  EXPECT_REFUSED(plan_of(empty), "at most 10,000 references...");
}

}  // namespace leeway::sweep::testing::study_test
