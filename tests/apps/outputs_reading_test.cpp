// Options that say how outputs are read, on the command line: one meaning in every command that takes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "leeway/core/result.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::write_bytes;

class OutputsReadingCommand : public CommandTest {
 protected:
  OutputsReadingCommand() {
    write_bytes(folder_ / "plain.csv", "p_0,p_1\n.75,.25\n.25,.75\n.75,.25\n.25,.75\n");
    write_bytes(folder_ / "other.csv", "p_0,p_1\n.75,.25\n.75,.25\n.75,.25\n.25,.75\n");
    write_bytes(folder_ / "y.csv", "id,label\n1,0\n2,1\n3,0\n4,0\n");
    write_bytes(folder_ / "place.csv", "place\nsea\nsea\nland\nland\n");
    write_bytes(folder_ / "split.csv", "index,split\n0,train\n1,test\n2,test\n3,val\n");
  }

  Json record(const std::string& arguments) {
    const Outcome outcome = run(arguments + " --json --quiet");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json();
  }
};

TEST_F(OutputsReadingCommand, LabelsOfTheFirstSet) {
  const Json pa = record("pa plain.csv other.csv --labels y.csv");
  EXPECT_EQ(pa["results"][0]["afr_true"], .5);  // predictions 0 0 0 1, labels 0 1 0 0
  EXPECT_EQ(pa["options"]["labels"], "y.csv");
  EXPECT_EQ(pa["inputs"].size(), 3U);
  const Json bound = record("bound --source plain.csv --target other.csv --labels y.csv --methods ac");
  EXPECT_EQ(bound["source"]["error"], .25);
  const Json assess =
      record("assess --source plain.csv --target other.csv --labels y.csv,other=y.csv --no-bounds");
  EXPECT_EQ(assess["results"][0]["target"], "other");
  EXPECT_EQ(assess["results"][0]["accuracy"], .5);
  const Outcome unknown = run("assess --source plain.csv --target other.csv --labels sea=y.csv");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--labels sea=y.csv: no --target has this name"));
}

TEST_F(OutputsReadingCommand, LabelsThatDifferFromItsOwnAreSaid) {
  write_bytes(folder_ / "own.csv", "label,p_0,p_1\n0,.75,.25\n1,.25,.75\n1,.75,.25\n0,.25,.75\n");
  const Outcome outcome = run("pa own.csv other.csv --labels y.csv");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr("own.csv: its labels differ from those of y.csv, which are used, at 1 of 4 rows"));
}

TEST_F(OutputsReadingCommand, GroupsAndNamesOfClasses) {
  write_bytes(folder_ / "names.txt", "cat\r\ndog\r\n");
  write_bytes(folder_ / "words.csv", "animal\ncat\ndog\ncat\ncat\n");
  const Json assess = record(
      "assess --source plain.csv --target t=other.csv --labels words.csv,t=words.csv --groups t=place.csv "
      "--class-names names.txt --no-bounds");
  EXPECT_EQ(assess["results"][0]["worst_class"]["name"], "dog");
  EXPECT_EQ(assess["results"][0]["worst_group"]["group"], "class / place");
  const Outcome wrong = run("pa plain.csv other.csv --class-names a,b,c");
  EXPECT_EQ(wrong.code, 3);
  EXPECT_EQ(wrong.err, "leeway: plain.csv: expected 3 classes, as --class-names says, found 2\n");
}

TEST_F(OutputsReadingCommand, RowsOfASplit) {
  const Json pa = record("pa plain.csv other.csv --labels y.csv --index split.csv --split test");
  EXPECT_EQ(pa["results"][0]["n"], 2);
  EXPECT_EQ(pa["results"][0]["afr_pred"], .5);
  EXPECT_EQ(pa["results"][0]["afr_true"], .5);
  EXPECT_EQ(run("pa plain.csv other.csv --index split.csv").code, 2);
  EXPECT_EQ(run("pa plain.csv other.csv --split test").code, 2);
  write_bytes(folder_ / "none.csv", "index,split\n0,train\n");
  EXPECT_EQ(run("pa plain.csv other.csv --index none.csv --split test").err,
            "leeway: none.csv: expected rows of test, as --split says, found none\n");
}

TEST_F(OutputsReadingCommand, TheReadingIsToldAndKept) {
  write_bytes(folder_ / "a.csv", "Label;prob_0;prob_1\n0;0,75;0,25\n1;0,25;0,75\n");
  const Outcome told = run("pa a.csv a.csv");
  EXPECT_EQ(told.code, 0);
  const std::string line =
      "a.csv: semicolon between columns; probabilities of 2 classes from prob_0, prob_1; labels from Label; "
      "decimal commas";
  EXPECT_THAT(told.err, HasSubstr("leeway: " + line + "\n"));
  EXPECT_EQ(run("pa a.csv a.csv --quiet").err, "");
  EXPECT_EQ(record("pa a.csv a.csv")["inputs"][0]["reading"], line);
  EXPECT_TRUE(record("pa plain.csv other.csv")["inputs"][0]["reading"].is_null());
  EXPECT_EQ(run("pa a.csv a.csv --separator dot").err,
            "leeway: --separator: expected comma, semicolon or tab, found 'dot'\n");
  EXPECT_EQ(run("pa a.csv a.csv --separator ';'").code, 0);
}

TEST_F(OutputsReadingCommand, StandardInput) {
  const auto piped = [&](const std::string& arguments) {
    const std::string line = "cd '" + folder_.string() + "' && cat plain.csv | '" LEEWAY_COMMAND "' " +
                             arguments + " >.out 2>.err";
    return std::system(line.c_str());
  };
  EXPECT_EQ(piped("pa - other.csv --json"), 0) << read_text(folder_ / ".err");
  const Json pa = Json::parse(read_text(folder_ / ".out"));
  EXPECT_EQ(pa["results"][0]["afr_pred"], .75);
  EXPECT_EQ(pa["inputs"][0]["path"], "-");
}

TEST_F(OutputsReadingCommand, ATargetIsCalledAsItsFile) {
  const Json assess = record("assess --source plain.csv --target ./other.csv --no-bounds");
  EXPECT_EQ(assess["results"][0]["target"], "other");
  EXPECT_THAT(run("assess --source a=plain.csv b=plain.csv --target other.csv").err,
              HasSubstr("expected MODEL/SHIFT=FILE, as there are 2 models"));
}

}  // namespace
}  // namespace leeway
