// What commands read: bad inputs end in exit code 3 and one line that names the file, expected and found; options say how
// outputs are read. What readers refuse in detail: tests/core.
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"
#include "tests/holds.h"
#include "tests/io/zip_maker.h"

namespace leeway::reading_test {

using leeway::testing::deflated_entry;
using leeway::testing::make_zip;
using leeway::testing::ZipEntry;
using ::testing::HasSubstr;

// Address space of a run, where no sanitizer needs more: what a file claims must not be allocated.
#ifdef LEEWAY_SANITIZED
const std::string limits;
#else
const std::string limits = "ulimit -v 1000000; ";
#endif

class BadInputs : public CommandTest {
 protected:
  BadInputs() { write_npy(folder_ / "good.npy", good_); }

  const Array good_ = make_array<float>({4, 3}, {2, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0});
};

TEST_F(BadInputs, OneLineAndExitCodeThree) {
  ZipEntry bomb = deflated_entry("logits.npy", std::string(100'000, '\0'));
  bomb.size = 0xfffffff0;
  write_bytes(folder_ / "bomb.npz", make_zip({bomb}));
  const Outcome said = run_command(folder_, "pa good.npy bomb.npz --threads 1", limits);
  EXPECT_EQ(said.code, 3) << said.err;
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
  for (const char* part : {"leeway: bomb.npz: ", "expected ", "found 4294967280"})
    EXPECT_THAT(said.err, HasSubstr(part));
}

TEST_F(BadInputs, OfEveryCommandThatComparesSets) {
  write_bytes(folder_ / "s.csv", "logit_cat,logit_dog,label\n2,0,cat\n0,3,dog\n2,1,cat\n");
  write_bytes(folder_ / "t.csv", "logit_dog,logit_cat,label\n0,2,cat\n3,0,dog\n1,2,cat\n");
  write_bytes(folder_ / "u.csv", "logit_eel,logit_cat,label\n0,2,cat\n3,0,eel\n1,2,cat\n");
  write_npz(folder_ / "s.npz", {{"logits", make_array<double>({2, 2}, {2, 0, 0, 3})},
                                {"labels", make_array<std::int64_t>({2}, {0, 1})}});
  write_npy(folder_ / "t.npy", make_array<double>({2, 2}, {.75, .25, .5, .5}));
  const auto commands = [](const std::string& source, const std::string& target) {
    return std::vector<std::string>{"assess --quiet --source " + source + " --target t=" + target,
                                    "pa --quiet " + source + " " + target,
                                    "bound --quiet --source " + source + " --target " + target,
                                    "distances --quiet " + source + " " + target,
                                    "select --quiet --clean " + source + " --shifted " + target};
  };
  for (const std::string& command : commands("s.csv", "t.csv")) EXPECT_EQ(run(command).code, 0) << command;
  for (const std::string& command : commands("s.csv", "u.csv"))
    refused({command, 3, {"u.csv: expected", "as in s.csv", "found", "'eel'"}});
  for (const std::string& command : commands("s.npz", "t.npy")) {
    refused({command, 3, {"t.npy: expected logits, as in s.npz, found probabilities"}});
    EXPECT_EQ(run(command + " --as logits").code, 0) << command;
  }
  for (const std::string& command : commands("s.npz", "good.npy"))
    refused({command, 3, {"good.npy: expected 2", "found "}});
  for (const std::string& command : commands("s.npz", "none.npy"))
    refused({command, 3, {"none.npy: expected"}});
  write_npy(folder_ / "j.npy", make_array<double>({2, 2, 1}, {1, -1, 1, -1}));
  const std::string gradients = "average-case --logits t.npy --jacobian j.npy --sigma .1";
  refused({gradients, 3, {"t.npy: expected the logits whose gradients are in j.npy", "found probabilities"}});
  EXPECT_EQ(run(gradients + " --as logits").code, 0);
}

TEST_F(BadInputs, PathsThatAreNoFiles) {
  all_refused("pa good.npy ",
              {{"missing.npy", 3, {"missing.npy: expected a readable file, found no such file"}},
               {"good.npy --labels missing.npy", 3, {"missing.npy", "found no such file"}},
               {"''", 3, {"expected a readable file", "no such file"}},
               {"'two\nlines.npy'", 3, {"two\\x0alines.npy", "no such file"}}});
}

// A warning of one file and then another file that is bad: one line all the same.
TEST_F(BadInputs, OneLineAlsoAfterAWarning) {
  write_npz(folder_ / "zeros.npz", {{"probs", make_array<double>({2, 2}, {1, 0, .5, .5})}});
  for (const std::string arguments : {"pa zeros.npz none.npy", "distances zeros.npz none.npy"})
    refused({arguments, 3, {"none.npy"}});
  const Outcome told = run("pa zeros.npz zeros.npz");
  EXPECT_EQ(told.code, 0);
  EXPECT_THAT(told.err, HasSubstr("probabilities are exactly 0"));
}

class Reading : public CommandTest {
 protected:
  Reading() {
    write_bytes(folder_ / "plain.csv", "p_0,p_1\n.75,.25\n.25,.75\n.75,.25\n.25,.75\n");
    write_bytes(folder_ / "other.csv", "p_0,p_1\n.75,.25\n.75,.25\n.75,.25\n.25,.75\n");
    write_bytes(folder_ / "y.csv", "id,label\n1,0\n2,1\n3,0\n4,0\n");
    write_bytes(folder_ / "words.csv", "animal\ncat\ndog\ncat\ncat\n");
    write_bytes(folder_ / "place.csv", "place\nsea\nsea\nland\nland\n");
    write_bytes(folder_ / "names.txt", "cat\r\ndog\r\n");
    write_bytes(folder_ / "split.csv", "index,split\n0,train\n1,test\n2,test\n3,val\n");
  }
};

TEST_F(Reading, LabelsGroupsAndNamesOfTheirOwnFiles) {
  const Json pa = record("pa plain.csv other.csv --labels y.csv");
  EXPECT_EQ(pa["results"][0]["afr_true"], .5);  // predictions 0 0 0 1, labels 0 1 0 0
  EXPECT_EQ(pa["options"]["labels"], "y.csv");
  EXPECT_EQ(pa["inputs"].size(), 3U);
  const Json bound = record("bound --source plain.csv --target other.csv --labels y.csv --methods ac");
  EXPECT_THAT(bound, Holds(R"({"/source/error": 0.25, "/inputs/1/path": "y.csv"})"));
  const Json assess = record(
      "assess --source plain.csv --target t=other.csv --labels words.csv,t=words.csv --groups t=place.csv "
      "--class-names names.txt --no-bounds");
  EXPECT_THAT(assess["results"][0], Holds(R"({"/accuracy": 0.5, "/worst_class/name": "dog",
                                              "/worst_group/group": "class / place"})"));
  write_bytes(folder_ / "own.csv", "label,p_0,p_1\n0,.75,.25\n1,.25,.75\n1,.75,.25\n0,.25,.75\n");
  EXPECT_THAT(
      run("pa own.csv other.csv --labels y.csv").err,
      HasSubstr("own.csv: its labels differ from the labels in y.csv (which are used) at 1 of 4 rows"));
  refused({"assess --source plain.csv --target other.csv --labels sea=y.csv", 2, {"--labels sea=y.csv"}});
  refused({"pa plain.csv other.csv --class-names a,b,c", 3, {"plain.csv: expected 3 classes", "found 2"}});
}

TEST_F(Reading, RowsOfASplit) {
  const Json pa = record("pa plain.csv other.csv --labels y.csv --index split.csv --split test");
  EXPECT_EQ(pa["results"][0]["n"], 2);
  EXPECT_EQ(pa["results"][0]["afr_true"], .5);
  write_bytes(folder_ / "none.csv", "index,split\n0,train\n");
  all_refused("pa plain.csv other.csv ", {{"--index split.csv", 2, {"--split"}},
                                          {"--split test", 2, {"--index"}},
                                          {"--index none.csv --split test", 3, {"none.csv", "found none"}}});
}

TEST_F(Reading, IsToldAndKept) {
  write_bytes(folder_ / "a.csv", "Label;prob_0;prob_1\n0;0,75;0,25\n1;0,25;0,75\n");
  const std::string line = "a.csv: semicolon between columns; ";
  EXPECT_THAT(run("pa a.csv a.csv").err, ::testing::StartsWith("leeway: " + line));
  EXPECT_EQ(run("pa a.csv a.csv --quiet").err, "");
  EXPECT_THAT(record("pa a.csv a.csv")["inputs"][0]["reading"].get<std::string>(),
              ::testing::StartsWith(line));
  EXPECT_TRUE(record("pa plain.csv other.csv")["inputs"][0]["reading"].is_null());
  refused({"pa a.csv a.csv --separator dot", 2, {"--separator", "found 'dot'"}});
  EXPECT_EQ(run("pa a.csv a.csv --separator ';'").code, 0);
}

TEST_F(Reading, StandardInput) {
  const std::string line = "cd '" + folder_.string() +
                           "' && cat plain.csv | '" LEEWAY_COMMAND "' pa - other.csv --json >.out 2>.err";
  EXPECT_EQ(std::system(line.c_str()), 0) << read_bytes(folder_ / ".err");
  const Json pa = Json::parse(read_bytes(folder_ / ".out"));
  EXPECT_EQ(pa["results"][0]["afr_pred"], .75);
  EXPECT_EQ(pa["inputs"][0]["path"], "-");
}

// --config FILE.toml.
class ConfigCommand : public CommandTest {
 protected:
  ConfigCommand() {
    write_npy(folder_ / "a.npy", make_array<double>({3, 2}, {2, 0, 2, 0, 1, 0}));
    write_npy(folder_ / "b.npy", make_array<double>({3, 2}, {1.5, .5, 1.5, .5, .5, 1.5}));
    write_npy(folder_ / "y.npy", make_array<std::int64_t>({3}, {0, 1, 1}));
    write_bytes(folder_ / "shifts.csv", "data_set,target_error,ac\nm,0.1,0.2\nn,0.2,0.1\n");
  }
  [[nodiscard]] Json record_with(const std::string& config, const std::string& arguments) const {
    write_bytes(folder_ / "f.toml", config);
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
  write_bytes(
      folder_ / "f.toml",
      "[assess]\npaired = 'yes'\nsource = 'a.npy'\ntarget = ['x=b.npy', 'y=a.npy']\nfail-if = ['n<2', "
      "'pa<0.69']\n");
  EXPECT_EQ(run("assess --quiet --config f.toml").code, 4);
  EXPECT_EQ(record("assess --quiet --config f.toml --fail-if 'n<2'")["results"].size(), 2U);
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
           {"[nothing]\nseed = 1\n", "line 2, column 1: expected a table named after a command of leeway",
            "'nothing'"},
           {"quiet = 1\n", "expected true or false for quiet", "'1'"},
           {"seed = true\n", "expected a string, a number or a list for seed", "true"},
           {"seed = [1, 2]\n", "expected one value for seed", "a list of 2"},
           {"seed = 'x'\n", "expected a value that the option takes for seed", "'x' ("},
           {"threads = -1\n", "expected a value that the option takes for threads", "'-1' ("},
           {"pairing = 'x'\n", "for pairing", "'x' ("},
           {"config = 'g.toml'\n", "an option", "'config'"},
           {"[pa]\nclean = 'a.npy'\n", "an option of pa", "'clean'"},  // it has no long name
           {"seed = 1979-05-27\n", "line 1, column 8: expected", ""}}) {
    write_bytes(folder_ / "f.toml", config);
    refused({"pa a.npy b.npy --config f.toml", 3, {"f.toml: ", place, "found " + found}});
  }
  refused({"pa a.npy b.npy --config none.toml", 3, {"none.toml: expected a readable file"}});
  EXPECT_EQ(run("pa a.npy b.npy --config").code, 2);
  write_bytes(folder_ / "f.toml", "seed = 1\n");
  EXPECT_EQ(run("pa a.npy b.npy --config f.toml --config f.toml").code, 2);
}

}  // namespace leeway::reading_test
