// leeway shift and shift text, from the command line to the file.
#include <gmock/gmock.h>

#include "leeway/io/csv.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"
#include "tests/holds.h"

namespace leeway::shift_command_test {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ShiftCommand : public CommandTest {
 protected:
  ShiftCommand() {
    const std::vector<std::uint8_t> bytes{0, 51, 102, 153, 204, 255};
    write_images(folder_ / "in.npz", {"", make_array(std::vector<std::size_t>{3, 1, 1, 2}, bytes),
                                      std::vector<std::int64_t>{4, 0, 4}});
  }
};

TEST_F(ShiftCommand, WritesShiftedPixelsAndLabels) {
  const Outcome said = good("shift brightness --data in.npz --strength 0.2 --out out.npz");
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, HasSubstr("3 of 3 images are written after brightness of strength 0.2.\n"));
  EXPECT_THAT(said.out, HasSubstr("Strength: constant to add, pixels in [0,1].\n"));
  EXPECT_THAT(said.out, ContainsRegex("brightness +0.2 +3 +3 +0.1667\n"));  // (5 * .2 + 0) / 6
  const Images out = read_images(folder_ / "out.npz");
  EXPECT_THAT(*out.labels, ElementsAre(4, 0, 4));
  EXPECT_NEAR(to_f64(out.pixels, "x")[0], .2, 1e-7);
}

TEST_F(ShiftCommand, ASeverityChoosesTheCorruption) {
  const Outcome said = good("shift brightness --data in.npz --severity 2 --out out.npz --sheet sheet.png");
  EXPECT_THAT(said.out,
              HasSubstr("Severity 2; corrected variant, constants of cifar, lengths times 0.0312.\n"));
  EXPECT_THAT(said.out, HasSubstr(" 0.0850\n"));  // five times 25.5 levels, rounded up to 26, and 0
  const Images out = read_images(folder_ / "out.npz");
  EXPECT_EQ(out.pixels.type, ElementType::u8);
  EXPECT_THAT(out.pixels.view<std::uint8_t>(), ElementsAre(26, 77, 128, 179, 230, 255));
  EXPECT_THAT(*out.labels, ElementsAre(4, 0, 4));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "sheet.png"));
}

TEST_F(ShiftCommand, MistakesLeaveNoFile) {
  all_refused("shift corrupt", {{"", 2, {"--data is required: the clean images"}},
                                {" --data in.npz", 2, {"--model is required"}}});
  refused({"shift rotation --data in.npz", 2, {"--out is required: the .npz to write"}});
  all_refused(
      "shift --data in.npz --out out.npz ",
      {{"rotation --strength 400", 2, {"--strength: expected -180 to 180 for rotation, found 400"}},
       {"rotation --classes 1", 2, {"--classes: rotation does not use classes"}},
       {"label-subset --classes 1 --strength 2", 2, {"--strength: label-subset has no strength"}},
       {"label-subset", 2, {"--classes is required: the classes that label-subset keeps"}},
       {"label-subset --classes 9", 3, {"in.npz: shift label-subset: expected classes that occur, found 9"}},
       {"fog", 2, {"--severity is required for fog: 0 to 5"}},
       {"fog --strength 1", 2, {"--strength: fog has no strength; use --severity"}},
       {"rotation --severity 1", 2, {"--severity: rotation has no severities; use --strength"}},
       {"contrast --severity 1 --strength 1", 2, {"--strength cannot be combined with --severity"}},
       {"fog --severity 1 --classes 1", 2, {"--classes: fog does not use classes"}},
       {"contrast --variant published", 2, {"--variant and --frost-dir require --severity"}},
       {"fog --severity 6", 2, {"severity"}},
       {"mist", 2, {"NAME: expected one of gaussian-noise, "}}});
  refused({"shift rotation --data absent.npz --out out.npz", 3, {"absent.npz"}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
}

class ShiftTextCommand : public CommandTest {
 protected:
  ShiftTextCommand() {
    write_bytes(folder_ / "in.csv",
                "id,text,label\r\n7,\"A fine, old film\",1\r\n8,dull and LOUD,0\r\n9,,1\r\n");
  }
  [[nodiscard]] std::string written() const { return read_bytes(folder_ / "out.csv"); }
};

TEST_F(ShiftTextCommand, WritesTheTableAndSaysWhatChanged) {
  const Outcome said = good("shift text upper-case --data in.csv --out out.csv --sheet");
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, ContainsRegex("characters +9.67 +6.00\nwords +2.33 +1.67\n"));
  EXPECT_THAT(said.out, HasSubstr("  before  A [fine,] [old] [film]\n  after   A {FINE,} {OLD} {FILM}\n"));
  EXPECT_EQ(written(), "id,text,label\r\n7,\"A FINE, OLD FILM\",1\r\n8,DULL AND LOUD,0\r\n9,,1\r\n");
}

TEST_F(ShiftTextCommand, TheRecordSaysHow) {
  const Json made = record("shift text contradict --data in.csv --strength 1 --out out.csv --sheet --seed 3");
  EXPECT_THAT(made, Holds(R"({"/schema": "leeway.shift-text/3", "/inputs/0/shape": [3, 3], "/seed": 3,
                              "/options/mode": null})"));
  const Json set = made["results"][0];
  EXPECT_THAT(set, Holds(R"({"/edits": 2, "/label": "label", "/mode": "replace", "/words": "adjectives",
      "/n_changed": 2, "/n_overwritten": 0, "/sheet/1/before": "dull and LOUD"})"));
  EXPECT_NEAR(set["mean_words_changed"].get<double>(), 4. / 3, 1e-12);
  const Json other = record("shift text typos --data in.csv --out out.csv")["results"][0];
  EXPECT_THAT(other, Holds(R"({"/edits": null, "/label": null, "/mode": null, "/words": null,
                               "/n_overwritten": null, "/sheet": []})"));
}

TEST_F(ShiftTextCommand, OverwrittenTextsAreAFinding) {
  EXPECT_THAT(run("shift text amplify --data in.csv --strength 2 --out out.csv").out,
              HasSubstr("In 2 of 3 texts, all words were replaced: the inserted words reveal the label"));
}

TEST_F(ShiftTextCommand, WordsOfTheUsers) {
  write_bytes(folder_ / "mine.csv", "word,sign\nSUPER,1\nMEH,-1\n");
  const Json made = record("shift text amplify --data in.csv --words mine.csv --strength 5 --out out.csv");
  EXPECT_EQ(written(), "id,text,label\r\n7,\"SUPER SUPER SUPER SUPER\",1\r\n8,MEH MEH MEH,0\r\n9,,1\r\n");
  EXPECT_THAT(made, Holds(R"({"/inputs/0/path": "mine.csv", "/results/0/words": "mine.csv"})"));
  good("shift text contradict --data in.csv --words mine.csv --strength 0 --mode insert --out out.csv");
  EXPECT_THAT(written(), HasSubstr("MEH"));
}

TEST_F(ShiftTextCommand, MistakesLeaveNoFile) {
  write_bytes(folder_ / "signless.csv", "word,sign\na,1\n");
  all_refused("shift text ",
              {{"typos --data in.csv", 2, {"--out is required: the CSV file to write"}},
               {"typos --out out.csv", 2, {"--data is required: the CSV file"}},
               {"typos --data absent.csv --out out.csv", 3, {"absent.csv"}},
               {"typos --data in.csv --out in.csv", 2, {"in.csv: expected a file other than the input"}}});
  all_refused("shift text --data in.csv --out out.csv ",
              {{"typos --strength 2", 2, {"--strength: expected 0 to 1 for typos, found 2"}},
               {"typos --label label", 2, {"--label: typos does not use this option"}},
               {"levenshtein --mode insert", 2, {"--mode: levenshtein does not use this option"}},
               {"amplify --positive 1,2 --negative 2", 2, {"different labels, found '2' in both"}},
               {"amplify --negative 1.0", 2, {"found '1' in both: specify the other list too"}},
               {"amplify --words signless.csv",
                3,
                {"signless.csv: expected positive and negative words, found 1 positive"}},
               {"typos --column body", 3, {"in.csv: expected a column 'body'"}},
               {"rot13", 2, {"NAME: expected one of levenshtein, amplify, "}}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.csv"));
}

}  // namespace leeway::shift_command_test
