// leeway shift text, from the command line to the file.
#include <gmock/gmock.h>

#include "leeway/core/csv.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

using leeway::testing::write_bytes;
using ::testing::HasSubstr;

class ShiftTextCommand : public CommandTest {
 protected:
  ShiftTextCommand() {
    write_bytes(folder_ / "in.csv",
                "id,text,label\r\n7,\"A fine, old film\",1\r\n8,dull and LOUD,0\r\n9,,1\r\n");
  }
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return CommandTest::run("shift text " + arguments);
  }
  [[nodiscard]] std::string written(const std::string& name = "out.csv") const {
    return read_text(folder_ / name);
  }
};

TEST_F(ShiftTextCommand, WritesTheTableAndSaysWhatChanged) {
  const Outcome said = run("upper-case --data in.csv --out out.csv --sheet");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(
      said.out,
      "2 of 3 texts changed under upper-case of strength 1; in the mean of all, 6.0 of 9.7 characters and\n"
      "1.7 of 2.3 words.\n\n"
      "upper-case of strength 1 (share of the words that change case, at random), seed 0\n"
      "mean of a text     before    changed\n"
      "characters           9.67       6.00\n"
      "words                2.33       1.67\n"
      "\n[gone] and {new}:\n"
      "row 0, distance 11\n"
      "  before  A [fine,] [old] [film]\n"
      "  after   A {FINE,} {OLD} {FILM}\n"
      "row 1, distance 7\n"
      "  before  [dull] [and] LOUD\n"
      "  after   {DULL} {AND} LOUD\n");
  EXPECT_EQ(written(), "id,text,label\r\n7,\"A FINE, OLD FILM\",1\r\n8,DULL AND LOUD,0\r\n9,,1\r\n");
}

TEST_F(ShiftTextCommand, TheRecordSaysHow) {
  const Outcome said = run("contradict --data in.csv --strength 1 --out out.csv --json --sheet --seed 3");
  ASSERT_EQ(said.code, 0) << said.err;
  const Json record = Json::parse(said.out), set = record["results"][0];
  EXPECT_EQ(record["schema"], "leeway.shift-text/3");
  EXPECT_EQ(record["inputs"][0]["shape"], Json::array({3, 3}));
  EXPECT_EQ(record["seed"], 3);
  EXPECT_EQ(set["edits"], 2);
  EXPECT_EQ(set["label"], "label");
  EXPECT_EQ(set["mode"], "replace");
  EXPECT_EQ(set["words"], "adjectives");
  EXPECT_EQ(set["n_changed"], 2);
  EXPECT_EQ(set["n_overwritten"], 0);
  EXPECT_NEAR(set["mean_words_changed"].get<double>(), 4. / 3, 1e-12);
  EXPECT_EQ(set["sheet"][1]["before"], "dull and LOUD");
  EXPECT_TRUE(record["options"].at("mode").is_null());
  const Outcome typos = run("typos --data in.csv --out out.csv --json");
  const Json other = Json::parse(typos.out)["results"][0];
  for (const char* key : {"edits", "label", "mode", "words", "n_overwritten"})
    EXPECT_TRUE(other.at(key).is_null()) << key;
  EXPECT_TRUE(other.at("sheet").empty());
}

TEST_F(ShiftTextCommand, OverwrittenTextsAreAFinding) {
  const Outcome said = run("amplify --data in.csv --strength 2 --out out.csv");
  EXPECT_THAT(said.out,
              HasSubstr("In 2 of 3 texts every word was replaced: what was put in tells the label"));
}

TEST_F(ShiftTextCommand, WordsOfTheUsers) {
  write_bytes(folder_ / "mine.csv", "word,sign\nSUPER,1\nMEH,-1\n");
  const Outcome said = run("amplify --data in.csv --words mine.csv --strength 5 --out out.csv --json");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(written(), "id,text,label\r\n7,\"SUPER SUPER SUPER SUPER\",1\r\n8,MEH MEH MEH,0\r\n9,,1\r\n");
  const Json record = Json::parse(said.out);
  EXPECT_EQ(record["inputs"][0]["path"], "mine.csv");
  EXPECT_EQ(record["results"][0]["words"], "mine.csv");
  EXPECT_EQ(run("contradict --data in.csv --words mine.csv --strength 0 --mode insert --out out.csv").code,
            0);
  EXPECT_THAT(written(), HasSubstr("MEH"));
}

TEST_F(ShiftTextCommand, MistakesLeaveNoFile) {
  write_bytes(folder_ / "signless.csv", "word,sign\na,1\n");
  const auto expect = [&](const std::string& arguments, int code, const std::string& line) {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err, "leeway: " + line + "\n");
  };
  expect("typos --data in.csv", 2, "--out is required: the CSV file to write");
  expect("typos --out out.csv", 2, "--data is required: the CSV file");
  expect("typos --data in.csv --out out.csv --strength 2", 2,
         "--strength: expected 0 to 1 for typos, found 2");
  expect("typos --data in.csv --out out.csv --label label", 2, "--label: typos has no use for it");
  expect("levenshtein --data in.csv --out out.csv --mode insert", 2, "--mode: levenshtein has no use for it");
  expect("amplify --data in.csv --out out.csv --positive 1,2 --negative 2", 2,
         "--positive, --negative: expected different labels, found '2' in both");
  expect("amplify --data in.csv --out out.csv --negative 1.0", 2,
         "--positive, --negative: expected different labels, found '1' in both: give the other list too");
  expect("amplify --data in.csv --out out.csv --words signless.csv", 3,
         "signless.csv: expected words of both signs, found 1 positive and 0 negative ones");
  expect("typos --data in.csv --out out.csv --column body", 3,
         "in.csv: expected a column 'body', found columns id, text, label");
  EXPECT_EQ(run("typos --data absent.csv --out out.csv").code, 3);
  EXPECT_EQ(run("typos --data in.csv --out in.csv").code, 2);
  EXPECT_THAT(run("rot13 --data in.csv --out out.csv").err,
              ::testing::StartsWith("leeway: NAME: expected one of levenshtein, amplify, "));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.csv"));
}

}  // namespace
}  // namespace leeway
