// Tables of runs: read, joined, made of a folder; and which of their columns is what.
#include "leeway/sweep/run_table.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "leeway/sweep/collect.h"
#include "leeway/sweep/roles.h"
#include "tests/core/files.h"
#include "tests/message_of.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing {
namespace {

using leeway::testing::TemporaryFolder;
using leeway::testing::write_bytes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* runs =
    "unit,train.lr,train.seed,shift.name,unit_seconds,accuracy\n"
    "a,0.1,1,blur,2,.5\n"
    "b,0.1,2,blur,2,.6\n"
    "c,0.01,1,\"blur, strong\",2,\n";

TEST(RunTable, AxesStandBeforeTheSeconds) {
  const RunTable table = table_of_text(runs);
  EXPECT_EQ(table.rows(), 3u);
  EXPECT_THAT(table.axes(), ElementsAre("train.lr", "train.seed", "shift.name"));
  EXPECT_THAT(table.keys(), ElementsAre("accuracy"));
  EXPECT_THAT(table.read({"shift.name"}).at("shift.name"), ElementsAre("blur", "blur", "blur, strong"));
}

// Its rows go to all runs that were trained so; a run whose training has no row has empty fields.
TEST(RunTable, TheTableOfAnEarlierStageIsJoinedByItsAxes) {
  RunTable table = table_of_text(runs);
  table.join(
      table_of_text("train.seed,train.lr,unit_seconds,validation,accuracy\n2,0.1,1,.9,1\n1,0.1,1,.8,1\n"));
  EXPECT_THAT(table.keys(), ElementsAre("accuracy", "validation"));
  const auto columns = table.read({"validation", "accuracy"});
  EXPECT_THAT(columns.at("validation"), ElementsAre(".8", ".9", ""));
  EXPECT_THAT(columns.at("accuracy"), ElementsAre(".5", ".6", ""));
}

// Such as those of a pre-training, where no run of this table has one.
TEST(RunTable, AnAxisThatThisTableLacksCountsAsEmpty) {
  RunTable table = table_of_text(runs);
  table.join(table_of_text("train.seed,pre.lr,unit_seconds,validation\n1,,1,.8\n1,0.1,1,.7\n2,0.1,1,.9\n"));
  EXPECT_THAT(table.read({"validation"}).at("validation"), ElementsAre(".8", "", ".8"));
}

TEST(RunTable, ATableOfOtherMakingHasNoAxes) {
  const RunTable table = table_of_text("algorithm,seed,test\nerm,1,.5\n");
  EXPECT_THAT(table.axes(), ::testing::IsEmpty());
  EXPECT_THAT(table.keys(), ElementsAre("algorithm", "seed", "test"));
}

TEST(RunTable, OneClearLineForEachMistake) {
  EXPECT_EQ(message_of([] { (void)table_of_text("unit,unit_seconds,accuracy\n"); }),
            "runs.csv: expected at least one run, found none");
  RunTable table = table_of_text(runs);
  EXPECT_EQ(message_of([&] { table.join(table_of_text("train.batch,unit_seconds,n\n1,1,1\n", "t.csv")); }),
            "t.csv: expected axes that runs.csv also has, found 'train.batch'");
  EXPECT_EQ(
      message_of([&] { table.join(table_of_text("train.lr,unit_seconds,n\n.1,1,1\n.1,1,2\n", "t.csv")); }),
      "t.csv: expected one row for each combination of its axes, found a duplicate of row 0");
}

// A training that begins with another one's weights is the one that a test tests.
TEST(RunFolder, TheNearestTrainingStandsBesideATest) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  write_plan(store.plan(), plan_of("[pre]\ncommand = \"train\"\nlr = [0.1, 0.2]\nout = \"p.npz\"\n"
                                   "[train]\nstart = [\"\", \"{pre}\"]\nout = \"w.npz\"\n"
                                   "[look]\nsource = \"{train}\"\nseed = [1, 2]\n"));
  const PlanFile plan(store.plan());
  for (const PlannedUnit& unit : plan.units) {
    const std::string result = unit.stage == 2
                                   ? R"("page": "a", "bytes": 1, "records": 1)"
                                   : std::string("\"probability\": ") + (unit.stage == 0 ? "0.9" : "0.5");
    std::filesystem::create_directories(store.done(unit.name));
    write_bytes(store.done(unit.name) / "record.json",
                std::string(R"({"schema": "leeway.)") + (unit.stage == 2 ? "report" : "mvn-cdf") +
                    R"(/2", "seconds": 1, "results": [{)" + result + "}]}");
  }
  const RunTable table = runs_of_folder(plan, store, "", nullptr);
  EXPECT_EQ(table.rows(), 6u) << "from scratch and from either of two, with two seeds";
  const auto columns = table.read({"probability", "pre.lr", "train.start"});
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_EQ(columns.at("probability")[i], "0.5");
    EXPECT_EQ(columns.at("pre.lr")[i].empty(), columns.at("train.start")[i].empty());
  }
}

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
            "--over: expected a column without another role, found 'train.lr'");
  EXPECT_EQ(message_of([] { (void)roles_of(with_axes({"train.lr"}, "pa"), {}); }),
            "--measure: expected a column of runs.csv to report, as none is named accuracy, found none");
}

}  // namespace
}  // namespace leeway::sweep::testing
