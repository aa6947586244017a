// --config FILE.toml of the commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/npy.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"
#include "tests/message_of.h"

namespace leeway::app {
namespace {

using testing::HasSubstr;

class ConfigCommand : public CommandTest {
 protected:
  ConfigCommand() {
    write_npy(folder_ / "a.npy", make_array<double>({3, 2}, {2, 0, 2, 0, 1, 0}));
    write_npy(folder_ / "b.npy", make_array<double>({3, 2}, {1.5, .5, 1.5, .5, .5, 1.5}));
  }
  [[nodiscard]] Outcome with(const std::string& config, const std::string& arguments) const {
    write_text(folder_ / "f.toml", config);
    return run(arguments);
  }
  [[nodiscard]] Json record(const std::string& config, const std::string& arguments) const {
    const Outcome said = with(config, arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return Json::parse(said.out);
  }
};

TEST_F(ConfigCommand, TakesOptionsOfEveryKind) {
  const Json found =
      record("json = true\n[pa]\nseed = 7\nlevel = 0.5\nratios = '0,0.5,1'\nno-digest = true\n",
             "pa a.npy b.npy --config f.toml --quiet");
  EXPECT_EQ(found["seed"], 7);
  EXPECT_EQ(found["results"][0]["ratios"].size(), 3U);
  EXPECT_TRUE(found["inputs"][0].at("xxh3_128").is_null());
  const Json wide = record("", "pa a.npy b.npy --json --level .5");
  EXPECT_EQ(found["results"][0]["pa_low"], wide["results"][0]["pa_low"]);
}

TEST_F(ConfigCommand, IsAnInputOfTheRecord) {
  const Json inputs = record("seed = 1\n", "pa a.npy b.npy --json --config f.toml")["inputs"];
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(inputs[2]["path"], "f.toml");
  EXPECT_EQ(inputs[2]["bytes"], 9);
  EXPECT_TRUE(inputs[2].contains("xxh3_128"));
}

TEST_F(ConfigCommand, CommandLineWinsAndATableWinsOverTheTop) {
  const std::string config = "seed = 1\nlabels = 'missing.npy'\n[pa]\nseed = 2\n";
  write_npy(folder_ / "y.npy", make_array<std::int64_t>({3}, {0, 1, 1}));
  const std::string line = "pa a.npy b.npy --json --config=f.toml --labels y.npy";
  EXPECT_EQ(record(config, line)["seed"], 2);
  EXPECT_EQ(record(config, line + " --seed 3")["seed"], 3);
  EXPECT_EQ(record(config, line + " --seed=4")["seed"], 4);
}

// A list of gates, one of them violated; --fail-if on the command line replaces the list.
TEST_F(ConfigCommand, ListsAreSeveralValuesAndMakeRequiredOptionsGiven) {
  const std::string config =
      "[assess]\npaired = 'yes'\nsource = 'a.npy'\ntarget = ['x=b.npy', 'y=a.npy']\nfail-if = ['n<1', "
      "'pa<1']\n";
  EXPECT_EQ(with(config, "assess --quiet --config f.toml").code, 4);
  EXPECT_EQ(with(config, "assess --quiet --config f.toml --fail-if 'n<1'").code, 0);
  EXPECT_EQ(record(config, "assess --json --quiet --config f.toml --fail-if 'n<1'")["results"].size(), 2U);
}

TEST_F(ConfigCommand, OneFileServesSeveralCommands) {
  const std::string config = "epochs = 3\nfail-if = 'n<1'\n[train]\nout = 'w'\n[assess]\nsource = 'a.npy'\n";
  EXPECT_EQ(with(config, "pa a.npy b.npy --config f.toml").code, 0);
}

TEST_F(ConfigCommand, WrongFilesAreOneLineAndExit3) {
  const auto refused = [&](const std::string& config) {
    const Outcome said = with(config, "pa a.npy b.npy --config f.toml");
    EXPECT_EQ(said.code, 3) << config;
    EXPECT_EQ(said.out, "");
    return said.err;
  };
  EXPECT_EQ(refused("sed = 1\n"),
            "leeway: f.toml: line 1, column 1: expected the long name of an option, found 'sed'\n");
  EXPECT_EQ(refused("[pa]\nepochs = 1\n"),
            "leeway: f.toml: line 2, column 1: expected the long name of an option of pa, found 'epochs'\n");
  EXPECT_EQ(
      refused("[train]\nratios = '0'\n"),
      "leeway: f.toml: line 2, column 1: expected the long name of an option of train, found 'ratios'\n");
  EXPECT_EQ(refused("[nothing]\nseed = 1\n"),
            "leeway: f.toml: line 2, column 1: expected a command of leeway as the table, found 'nothing'\n");
  EXPECT_EQ(refused("quiet = 1\n"),
            "leeway: f.toml: line 1, column 1: expected true or false for quiet, found '1'\n");
  EXPECT_EQ(refused("seed = true\n"),
            "leeway: f.toml: line 1, column 1: expected a text, a number or a list for seed, found true\n");
  EXPECT_EQ(refused("seed = [1, 2]\n"),
            "leeway: f.toml: line 1, column 1: expected one value for seed, found a list of 2\n");
  EXPECT_THAT(refused("seed = 'x'\n"),
              HasSubstr("expected a value that the option takes for seed, found 'x' ("));
  EXPECT_THAT(refused("threads = -1\n"),
              HasSubstr("expected a value that the option takes for threads, found '-1' ("));
  EXPECT_THAT(refused("pairing = 'x'\n"), HasSubstr("for pairing, found 'x' ("));
  EXPECT_THAT(refused("config = 'g.toml'\n"), HasSubstr("found 'config'"));
  EXPECT_THAT(refused("[pa]\nclean = 'a.npy'\n"),
              HasSubstr("found 'clean'"));  // not an option: it has no long name
  EXPECT_THAT(refused("seed = 1979-05-27\n"), HasSubstr("f.toml: line 1, column 8: expected"));
  std::filesystem::remove(folder_ / "f.toml");
  const Outcome missing = run("pa a.npy b.npy --config f.toml");
  EXPECT_EQ(missing.code, 3);
  EXPECT_EQ(missing.err, "leeway: f.toml: expected a readable file, found no such file\n");
}

TEST_F(ConfigCommand, WithoutItsFileIsWrongUse) {
  EXPECT_EQ(run("pa a.npy b.npy --config").code, 2);
  EXPECT_EQ(with("", "pa a.npy b.npy --config f.toml --config f.toml").code, 2);
}

}  // namespace
}  // namespace leeway::app
