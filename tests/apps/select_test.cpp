// leeway select, from files to table and record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SelectCommand : public CommandTest {
 protected:
  // Two samples of class 0. `steady` is wrong about the second, but says the same when shifted: PA = log 2. `moved` is
  // right about both until the shift moves the second: PA = 0 (tests/agreement/selection_test.cpp).
  SelectCommand() {
    write("steady", {1.5, .5, .5, 1.5});
    write("right", {1.5, .5, 1.5, .5});
    write_npy(folder_ / "y.npy", make_array<std::int64_t>({2}, {0, 0}));
  }
  void write(const std::string& name, const std::vector<double>& logits) const {
    write_npy(folder_ / (name + ".npy"), make_array<double>({logits.size() / 2, 2}, logits));
  }
  const std::string pair_ = "select --clean right.npy steady.npy --shifted steady.npy steady.npy ";
};

TEST_F(SelectCommand, SaysWhatEachCriterionChooses) {
  const Outcome said = run(pair_ + "--labels y.npy --names early late --json --out r.json");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  const Json record = Json::parse(said.out);
  EXPECT_EQ(read_text(folder_ / "r.json"), said.out);
  EXPECT_EQ(record["schema"], "leeway.select/2");
  ASSERT_EQ(record["inputs"].size(), 5U);
  EXPECT_EQ(record["inputs"][1]["path"], "y.npy");
  const Json& early = record["results"][0];
  const Json& late = record["results"][1];
  EXPECT_EQ(early["checkpoint"], "early");
  EXPECT_NEAR(early["pa"].get<double>(), 0, 1e-12);
  EXPECT_NEAR(late["pa"].get<double>(), std::log(2.), 1e-12);
  EXPECT_EQ(late["beta"], "inf");
  EXPECT_EQ(early["accuracy"], 1);
  EXPECT_EQ(early["accuracy_shifted"], .5);
  EXPECT_EQ(late["accuracy"], .5);
  EXPECT_EQ(early["afr_pred"], .5);
  const Json& selected = record["selected"];
  EXPECT_EQ(selected["pa"], Json({{"index", 1}, {"checkpoint", "late"}}));
  EXPECT_EQ(selected["accuracy"], Json({{"index", 0}, {"checkpoint", "early"}}));
  EXPECT_EQ(selected["accuracy_shifted"]["index"], 0);                        // both .5: the earliest
  EXPECT_NEAR(selected["pa_difference"].get<double>(), std::log(2.), 1e-12);  // of either row
  EXPECT_LT(selected["pa_difference_low"].get<double>(), 0);                  // two rows tell nothing apart
}

TEST_F(SelectCommand, TableMarksTheChoicesAndSaysThemInWords) {
  const Outcome said = run(pair_ + "--labels y.npy");
  EXPECT_THAT(said.out, HasSubstr("<- accuracy, shifted accuracy\n"));
  EXPECT_THAT(said.out, HasSubstr("<- PA\n"));
  EXPECT_THAT(said.out, StartsWith("Posterior agreement chooses steady.npy, accuracy chooses right.npy."));
  EXPECT_THAT(said.out,
              HasSubstr("The posterior agreement of steady.npy is higher than that of right.npy by"));
  EXPECT_THAT(said.out, HasSubstr("do not tell the two apart"));  // two of them
  const Outcome same = run("select --clean steady.npy --shifted steady.npy --labels y.npy");
  EXPECT_THAT(same.out, HasSubstr("<- PA, accuracy, shifted accuracy\n"));
  EXPECT_THAT(same.out,
              StartsWith("Posterior agreement and accuracy choose the same checkpoint, steady.npy."));
}

// The two samples thirty times over: now `steady` is shown to agree more.
TEST_F(SelectCommand, SaysWhereTheChoiceMatters) {
  std::vector<double> right, steady;
  for (int i = 0; i < 30; ++i) {
    right.insert(right.end(), {1, 0, 1, 0});
    steady.insert(steady.end(), {1, 0, 0, 1});
  }
  write("many_right", right);
  write("many_steady", steady);
  write_npy(folder_ / "many_y.npy", make_array<std::int64_t>({60}, std::vector<std::int64_t>(60)));
  const Outcome said =
      run("select --clean many_right.npy many_steady.npy --shifted many_steady.npy many_steady.npy --labels "
          "many_y.npy --json");
  const Json record = Json::parse(said.out);
  EXPECT_THAT(record["headline"].get<std::string>(),
              StartsWith("Posterior agreement chooses many_steady.npy, accuracy chooses many_right.npy."));
  EXPECT_THAT(record["findings"].dump(), HasSubstr("the choice matters"));
}

// Four samples: `first` is right about all and moves on rows 3 and 4, `second` is wrong about the last and moves on
// rows 1 and 2: the same agreements in another order but for scale, so nothing tells their PA apart.
TEST_F(SelectCommand, SaysWhenTheSamplesDoNotTellTheTwoApart) {
  write("a1", {9, 0, 9, 0, 1, 0, 1, 0});
  write("a2", {9, 0, 9, 0, 9, 0, 0, 1});
  write("b1", {1, 0, 1, 0, 9, 0, 0, 9});
  write("b2", {9, 0, 0, 1, 9, 0, 0, 9.5});
  write_npy(folder_ / "four.npy", make_array<std::int64_t>({4}, {0, 0, 0, 0}));
  const Outcome said = run("select --clean a1.npy b1.npy --shifted a2.npy b2.npy --labels four.npy --json");
  EXPECT_THAT(Json::parse(said.out)["findings"].dump(), HasSubstr("do not tell the two apart"));
}

TEST_F(SelectCommand, WithoutLabelsGoesByAgreementAlone) {
  const Outcome said = run(pair_ + "--json");
  const Json record = Json::parse(said.out);
  EXPECT_TRUE(record["results"][0]["accuracy"].is_null());
  EXPECT_EQ(record["selected"]["pa"]["checkpoint"], "steady.npy");
  EXPECT_TRUE(record["selected"]["accuracy"].is_null());
  EXPECT_TRUE(record["selected"]["pa_difference"].is_null());
  EXPECT_THAT(run(pair_).out, HasSubstr("Without labels"));
}

// Labels that one file holds serve all checkpoints; another file's that differ are pointed out.
TEST_F(SelectCommand, TakesLabelsFromAnyFile) {
  const auto file = [&](const std::string& name, const std::vector<std::int64_t>& labels) {
    write_npz(folder_ / name, {{"logits", make_array<double>({2, 2}, {1.5, .5, 1.5, .5})},
                               {"labels", make_array<std::int64_t>({2}, labels)}});
  };
  file("labelled.npz", {0, 0});
  file("other.npz", {0, 1});
  const Outcome said = run("select --clean steady.npy labelled.npz --shifted steady.npy labelled.npz --json");
  EXPECT_EQ(Json::parse(said.out)["results"][0]["accuracy"], .5);
  const Outcome warned =
      run("select --clean labelled.npz other.npz --shifted labelled.npz labelled.npz --json");
  EXPECT_EQ(warned.code, 0);
  EXPECT_EQ(
      warned.err,
      "leeway: other.npz: its labels differ from those used: are its rows in the order of labelled.npz?\n");
}

TEST_F(SelectCommand, WrongUseIsExit2) {
  const auto usage = [&](const std::string& arguments) {
    const Outcome said = run("select " + arguments);
    EXPECT_EQ(said.code, 2) << arguments;
    return said.err;
  };
  EXPECT_EQ(usage("--clean right.npy steady.npy --shifted steady.npy"),
            "leeway: --clean and --shifted: expected one of each for a checkpoint, found 2 and 1\n");
  EXPECT_EQ(usage("--clean right.npy --shifted steady.npy --names a b"),
            "leeway: --names: expected 1, one for a checkpoint, found 2\n");
  EXPECT_EQ(usage("--clean right.npy right.npy --shifted steady.npy steady.npy --names a a"),
            "leeway: --names: expected each name once\n");
  EXPECT_THAT(usage("--clean right.npy"), HasSubstr("--shifted is required"));
}

TEST_F(SelectCommand, BadInputIsOneLineAndExit3) {
  write("longer", {1.5, .5, 1.5, .5, 1.5, .5});
  write_npy(folder_ / "wider.npy", make_array<double>({2, 3}, {2, 0, 0, 2, 0, 0}));
  write_npy(folder_ / "nan.npy", make_array<double>({2, 2}, {1, 0, NAN, 1}));
  const auto refused = [&](const std::string& arguments) {
    const Outcome said = run("select " + arguments);
    EXPECT_EQ(said.code, 3) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err.substr(0, said.err.size() - 1), Not(HasSubstr("\n")));
    return said.err;
  };
  EXPECT_EQ(refused("--clean right.npy longer.npy --shifted steady.npy longer.npy"),
            "leeway: longer.npy: expected 2 rows of 2 classes, as right.npy has, found 3 of 2\n");
  EXPECT_EQ(refused("--clean right.npy --shifted wider.npy"),
            "leeway: wider.npy: expected 2 rows of 2 classes, as right.npy has, found 2 of 3\n");
  EXPECT_THAT(refused("--clean right.npy --shifted nan.npy"), HasSubstr("nan.npy"));
  EXPECT_THAT(refused("--clean right.npy --shifted missing.npy"),
              HasSubstr("missing.npy: expected a readable file"));
}

}  // namespace
}  // namespace leeway
