// Which column is what.
#include "leeway/sweep/roles.h"

#include <gmock/gmock.h>

#include "tests/message_of.h"
#include "tests/sweep/run_tables.h"

namespace leeway::sweep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two rows, so that each of `axes` has two values: its name and its name with an x.
RunTable with_axes(const std::vector<std::string>& axes, const std::string& keys = "accuracy") {
  std::string head = "unit", first = "1", second = "2";
  for (const std::string& axis : axes) head += "," + axis, first += "," + axis, second += "," + axis + "x";
  const auto numbers = static_cast<std::size_t>(std::ranges::count(keys, ',')) + 1;
  for (std::string* row : {&first, &second}) {
    *row += ",1";
    for (std::size_t i = 0; i < numbers; ++i) *row += ",.5";
  }
  return table_of_text(head + ",unit_seconds," + keys + "\n" + first + "\n" + second + "\n");
}

TEST(Roles, AreGuessedFromNames) {
  const record::SweepRoles roles =
      roles_of(with_axes({"render.name", "train.algorithm", "train.augment", "train.lr", "train.seed",
                          "train.select", "train.start", "shift.name", "shift.strength"},
                         "n,accuracy,source_accuracy,kept.validation_worst_group_accuracy"),
               {});
  EXPECT_EQ(roles.measure, "accuracy");
  EXPECT_EQ(roles.validation, "source_accuracy");
  EXPECT_TRUE(roles.higher_is_better && roles.is_share);
  EXPECT_THAT(roles.criteria, ElementsAre("kept.validation_worst_group_accuracy"));
  EXPECT_THAT(roles.algorithm, ElementsAre("train.algorithm", "train.augment"));
  EXPECT_THAT(roles.cases, ElementsAre("shift.name", "shift.strength"));
  EXPECT_THAT(roles.repeats, ElementsAre("train.seed"));
  EXPECT_THAT(roles.over, ElementsAre("render.name"));
  EXPECT_EQ(roles.start, "train.start");
  EXPECT_EQ(roles.select, "train.select");
  EXPECT_THAT(roles.hyperparameters, ElementsAre("train.lr"));
}

TEST(Roles, OptionsComeFirst) {
  record::SweepReportOptions options;
  options.measure = "mean_error", options.algorithm = {"train.lr"}, options.over = {"train.algorithm"};
  const record::SweepRoles roles =
      roles_of(with_axes({"train.algorithm", "train.lr", "train.seed"}, "accuracy,mean_error"), options);
  EXPECT_THAT(roles.algorithm, ElementsAre("train.lr"));
  EXPECT_THAT(roles.over, ElementsAre("train.algorithm"));
  EXPECT_THAT(roles.hyperparameters, IsEmpty());
  EXPECT_FALSE(roles.higher_is_better);
  options.better = "higher";
  EXPECT_TRUE(
      roles_of(with_axes({"train.algorithm", "train.lr"}, "accuracy,mean_error"), options).higher_is_better);
}

TEST(Roles, NamesOfConcurrentShiftsAreCases) {
  const RunTable table = table_of_text(
      "train.index,train.shift,unit_seconds,accuracy\nsplits/uniform.csv,1,1,.5\nsplits/"
      "sc_ldd-2.csv,2,1,.5\n");
  EXPECT_THAT(roles_of(table, {}).cases, ElementsAre("train.index"));
}

TEST(Roles, ResultsOfOneRecordAreCases) {
  const RunTable table = table_of_text("train.lr,unit_seconds,target,accuracy\n1,1,blur,.5\n1,1,noise,.5\n");
  const record::SweepRoles roles = roles_of(table, {});
  EXPECT_THAT(roles.cases, ElementsAre("target"));
  EXPECT_THAT(roles.hyperparameters, IsEmpty());  // a single value
}

TEST(Roles, CaseNames) {
  const auto words = [](const char* text) {
    const auto name = case_name(text);
    return name ? name->kind + "/" + name->assignment + "/" + std::to_string(name->concurrent) : "none";
  };
  EXPECT_EQ(words("splits/sc_ldd-3.csv"), "SC+LDD/3/2");
  EXPECT_EQ(words("uds_sc"), "SC+UDS//2");
  EXPECT_EQ(words("UNIFORM"), "UNIFORM//0");
  EXPECT_EQ(words("SC+LDD+UDS"), "SC+LDD+UDS//3");
  for (const char* other : {"", "sc_sc", "sc+blur", "gaussian-noise", "sc+", "3"})
    EXPECT_EQ(words(other), "none");
}

TEST(Roles, OneClearLineForEachMistake) {
  const RunTable table = with_axes({"train.algorithm", "train.lr"});
  record::SweepReportOptions options;
  options.measure = "acuracy";
  EXPECT_EQ(message_of([&] { (void)roles_of(table, options); }),
            "--measure: expected a column of runs.csv, found 'acuracy'; did you mean accuracy?");
  options.measure = "", options.cases = {"train.lr"}, options.over = {"train.lr"};
  EXPECT_EQ(message_of([&] { (void)roles_of(table, options); }),
            "--over: expected a column that has no other role, found 'train.lr'");
  EXPECT_EQ(message_of([] { (void)roles_of(with_axes({"train.lr"}, "pa"), {}); }),
            "--measure: expected a column of runs.csv to report, since none is called accuracy, found none");
}

}  // namespace
}  // namespace leeway::sweep::testing
