// --config FILE.toml of the commands.
#include <array>
#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/npy.h"
#include "tests/apps/run_command.h"

namespace leeway::app {
namespace {

using ::testing::HasSubstr;

class ConfigCommand : public CommandTest {
 protected:
  ConfigCommand() {
    write_npy(folder_ / "a.npy", make_array<double>({3, 2}, {2, 0, 2, 0, 1, 0}));
    write_npy(folder_ / "b.npy", make_array<double>({3, 2}, {1.5, .5, 1.5, .5, .5, 1.5}));
    write_npy(folder_ / "y.npy", make_array<std::int64_t>({3}, {0, 1, 1}));
    write_text(folder_ / "shifts.csv", "data_set,target_error,ac\nm,0.1,0.2\nn,0.2,0.1\n");
  }
  [[nodiscard]] Json record_with(const std::string& config, const std::string& arguments) const {
    write_text(folder_ / "f.toml", config);
    return record(arguments);
  }
};

TEST_F(ConfigCommand, TakesOptionsOfEveryKindAndIsAnInput) {
  const Json found = record_with("[pa]\nseed = 7\nlevel = 0.5\nratios = '0,0.5,1'\nno-digest = true\n",
                                 "pa a.npy b.npy --config f.toml --quiet");
  EXPECT_EQ(found["seed"], 7);
  EXPECT_EQ(found["results"][0]["ratios"].size(), 3U);
  EXPECT_TRUE(found["inputs"][0].at("xxh3_128").is_null());
  EXPECT_EQ(found["results"][0]["pa_low"], record("pa a.npy b.npy --level .5")["results"][0]["pa_low"]);
  ASSERT_EQ(found["inputs"].size(), 3U);
  EXPECT_EQ(found["inputs"][2]["path"], "f.toml");
}

TEST_F(ConfigCommand, CommandLineWinsAndATableWinsOverTheTop) {
  const std::string config =
      "epochs = 3\nseed = 1\nlabels = 'missing.npy'\n[train]\nout = 'w'\n[pa]\nseed = 2\n";
  const std::string line = "pa a.npy b.npy --config=f.toml --labels y.npy";
  EXPECT_EQ(record_with(config, line)["seed"], 2);
  EXPECT_EQ(record_with(config, line + " --seed 3")["seed"], 3);
  EXPECT_EQ(record_with(config, line + " --seed=4")["seed"], 4);
}

// A list of gates, one of them violated; --fail-if on the command line replaces the list.
TEST_F(ConfigCommand, ListsAreSeveralValuesAndMakeRequiredOptionsGiven) {
  write_text(folder_ / "f.toml",
             "[assess]\npaired = 'yes'\nsource = 'a.npy'\ntarget = ['x=b.npy', 'y=a.npy']\nfail-if = ['n<1', "
             "'pa<1']\n");
  EXPECT_EQ(run("assess --quiet --config f.toml").code, 4);
  EXPECT_EQ(record("assess --quiet --config f.toml --fail-if 'n<1'")["results"].size(), 2U);
}

TEST_F(ConfigCommand, ReachesCommandsOfTwoWords) {
  EXPECT_EQ(record_with("[bound.evaluate]\ndelta = 0.25\n[conds.draw]\nseed = 7\n",
                        "bound evaluate shifts.csv --config f.toml")["options"]["delta"],
            .25);
}

TEST_F(ConfigCommand, WrongFilesAreOneLineAndExit3) {
  for (const auto& [config, place, found] : std::vector<std::array<std::string, 3>>{
           {"sed = 1\n", "line 1, column 1: expected the long name of an option", "'sed'"},
           {"[pa]\nepochs = 1\n", "line 2, column 1: expected the long name of an option of pa", "'epochs'"},
           {"[train]\nratios = '0'\n", "line 2, column 1: expected the long name of an option of train",
            "'ratios'"},
           {"[bound.evaluate]\nfail-if = 'n'\n", "an option of bound.evaluate", "'fail-if'"},
           {"[nothing]\nseed = 1\n", "line 2, column 1: expected a command of leeway as the table",
            "'nothing'"},
           {"quiet = 1\n", "expected true or false for quiet", "'1'"},
           {"seed = true\n", "expected a text, a number or a list for seed", "true"},
           {"seed = [1, 2]\n", "expected one value for seed", "a list of 2"},
           {"seed = 'x'\n", "expected a value that the option takes for seed", "'x' ("},
           {"threads = -1\n", "expected a value that the option takes for threads", "'-1' ("},
           {"pairing = 'x'\n", "for pairing", "'x' ("},
           {"config = 'g.toml'\n", "an option", "'config'"},
           {"[pa]\nclean = 'a.npy'\n", "an option of pa", "'clean'"},  // it has no long name
           {"seed = 1979-05-27\n", "line 1, column 8: expected", ""}}) {
    write_text(folder_ / "f.toml", config);
    refused({"pa a.npy b.npy --config f.toml", 3, {"f.toml: ", place, "found " + found}});
  }
  refused({"pa a.npy b.npy --config none.toml", 3, {"none.toml: expected a readable file"}});
  EXPECT_EQ(run("pa a.npy b.npy --config").code, 2);
  write_text(folder_ / "f.toml", "seed = 1\n");
  EXPECT_EQ(run("pa a.npy b.npy --config f.toml --config f.toml").code, 2);
}

}  // namespace
}  // namespace leeway::app
