#include "leeway/sweep/collect.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "leeway/sweep/checked_files.h"
#include "leeway/sweep/roles.h"
#include "leeway/sweep/run_table.h"
#include "tests/core/files.h"
#include "tests/message_of.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing::collect_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Collect : public ::testing::Test {
 protected:
  void put(std::size_t unit, const std::string& text) const {
    std::filesystem::create_directories(store_.done(plan_.units[unit].name));
    write_bytes(store_.done(plan_.units[unit].name) / "record.json", text);
  }
  tasks::SweepTable table(const tasks::SweepCollectOptions& options = {},
                          const char* name = "runs.csv") const {
    return collect(plan_, store_, options, (folder_ / name).string(), nullptr);
  }
  std::string mistake(const tasks::SweepCollectOptions& options = {}) const {
    return message_of([&] { (void)table(options); });
  }
  std::string name(std::size_t unit) const { return plan_.units[unit].name; }

  const TemporaryFolder folder_;
  const Store store_{folder_.path()};
  Plan plan_ = plan_of("[look]\nsource = [\"one\", \"t,wo\"]\nseed = [1, 2]\n");
};

std::string record_of(const std::string& results) {
  return R"({"schema": "leeway.mvn-cdf/2", "seconds": 0.25, "results": [)" + results + "]}";
}

TEST_F(Collect, ARowForEachResult) {
  put(0,
      record_of(R"({"probability": 0.1, "converged": true, "method": "a \"b\""}, {"probability": "inf"})"));
  put(3, record_of(R"({"probability": null, "points": 7})"));
  const tasks::SweepTable made = table({"", {"probability", "converged", "points", "method"}});
  EXPECT_EQ(made.rows, 3u);
  EXPECT_EQ(made.units, 2u);
  EXPECT_EQ(made.missing, 2u);
  EXPECT_EQ(read_bytes(folder_ / "runs.csv"),
            "unit,look.source,look.seed,unit_seconds,probability,converged,points,method\n" + name(0) +
                ",one,1,0.25,0.1,true,,\"a \"\"b\"\"\"\n" + name(0) + ",one,1,0.25,inf,,,\n" + name(3) +
                ",\"t,wo\",2,0.25,,,7,\n");
}

TEST_F(Collect, AllKeysThatAreOneValue) {
  put(0, record_of(R"({"probability": 0.1})"));
  const tasks::SweepTable made = table();
  EXPECT_EQ(made.columns.at(4), "probability");
  EXPECT_EQ(std::count(made.columns.begin(), made.columns.end(), "error"), 1);
}

TEST_F(Collect, AnAxisIsAColumnWhereItsFirstValueIsEmpty) {
  plan_ = plan_of("[look]\nsource = [\"\", \"two\"]\nseed = [1, 2]\n");
  put(0, record_of(R"({"probability": 0.1})"));
  put(2, record_of(R"({"probability": 0.2})"));
  (void)table({"", {"probability"}});
  EXPECT_EQ(read_bytes(folder_ / "runs.csv"), "unit,look.source,look.seed,unit_seconds,probability\n" +
                                                  name(0) + ",,1,0.25,0.1\n" + name(2) + ",two,1,0.25,0.2\n");
}

TEST_F(Collect, NumbersOfListsWhereTheyAreAskedFor) {
  put(0, R"({"schema": "leeway.train/3", "seconds": 1, "results": [{"n_train": 5, "epochs": [
             {"loss": 0.5, "test_accuracy": null, "selection_score": null},
             {"loss": 0.25, "test_accuracy": 1, "selection_score": null}, {}]}]})");
  (void)table({"", {"n_train", "epochs.loss", "epochs.test_accuracy", "epochs.selection_score"}});
  EXPECT_EQ(read_bytes(folder_ / "runs.csv"),
            "unit,look.source,look.seed,unit_seconds,n_train,epochs.loss,epochs.test_accuracy,epochs."
            "selection_score\n" +
                name(0) + ",one,1,1,5,0.5 0.25 nan,nan 1 nan,\n");
  EXPECT_THAT(table().columns, ::testing::Not(::testing::Contains(::testing::StartsWith("epochs."))));
  EXPECT_THAT(table({"", {}, true}).columns,
              ::testing::IsSupersetOf({"epochs.validation_accuracy", "epochs.test_accuracy", "n_train"}));
}

TEST_F(Collect, CompressedWhereTheNameSaysSo) {
  put(0, record_of(R"({"probability": 0.1})"));
  (void)table({}, "runs.csv.gz");
  (void)table();
  EXPECT_TRUE(read_bytes(folder_ / "runs.csv.gz").starts_with("\x1f\x8b"));
  const RunTable packed(folder_ / "runs.csv.gz"), plain(folder_ / "runs.csv");
  EXPECT_EQ(packed.keys(), plain.keys());
  for (const char* column : {"look.seed", "probability"})
    EXPECT_EQ(packed.column(column), plain.column(column));
}

TEST(CollectAxes, AUnitWithoutTheAxisHasAnEmptyField) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  const Plan plan = plan_of(
      "[draw]\ncommand = \"data draw\"\nseed = [7, 8]\nout = \"x.npz\"\n"
      "[look]\nsource = [\"good\", \"{draw}\"]\nseed = 1\n");
  for (const Unit& unit : plan.units) {
    if (unit.stage == "draw") continue;
    std::filesystem::create_directories(store.done(unit.name));
    write_bytes(store.done(unit.name) / "record.json", record_of(R"({"points": 9007199254740993})"));
  }
  (void)collect(plan, store, {"", {"points"}}, (folder / "runs.csv").string(), nullptr);
  const std::string text = read_bytes(folder / "runs.csv");
  EXPECT_TRUE(text.starts_with("unit,draw.seed,look.source,unit_seconds,points\n"));
  EXPECT_THAT(text, ::testing::HasSubstr(",,good,0.25,9007199254740993\n"));
  EXPECT_REFUSED(collect(plan, store, {}, (folder / "runs.npz").string(), nullptr), "found '.npz'...");
}

TEST_F(Collect, OneClearLineForEachMistake) {
  EXPECT_EQ(mistake(), folder_.path().string() + ": expected a record of [look], found none yet");
  put(0, record_of(R"({"probability": 0.1})"));
  EXPECT_EQ(mistake({"lok", {}}), "--stage: expected one of look, found 'lok'; did you mean look?");
  EXPECT_THAT(mistake({"", {"probabilty"}}), Says("found 'probabilty'; did you mean probability?"));
  const std::string path = (store_.done(name(1)) / "record.json").string();
  for (const char* const text :
       {"", "{", "[]", R"({"schema": 1, "results": []})", R"({"schema": "x", "results": 3})"}) {
    put(1, text);
    EXPECT_THAT(mistake(), ::testing::StartsWith(path + ": expected a result record")) << text;
  }
  put(1, R"({"schema": "leeway.pa/2", "results": []})");
  EXPECT_EQ(mistake(), path + ": expected a record of leeway.mvn-cdf/2, found \"leeway.pa/2\"");
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(mistake(), path + ": expected a regular file, found a pipe or device");
}

TEST_F(Collect, AChangedRecordIsRefused) {
  const std::string text = record_of(R"({"probability": 0.1})");
  put(1, text);
  write_digests(store_.done(name(1)));
  EXPECT_EQ(table().rows, 1u);
  put(1, record_of(R"({"probability": 0.2})"));
  const std::string unit = store_.done(name(1)).string();
  EXPECT_THAT(mistake(), Says("/record.json: expected the contents that the unit ... found other contents"));
}

TEST_F(Collect, NamesAreNoFormulas) {
  put(0, record_of(R"({"probability": -0.1, "method": "=A1"})"));
  (void)table({"", {"probability", "method"}});
  EXPECT_THAT(read_bytes(folder_ / "runs.csv"), ::testing::HasSubstr(",-0.1,'=A1\n"));
}

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
  EXPECT_THAT(table.column("shift.name"), ElementsAre("blur", "blur", "blur, strong"));
}

TEST(RunTable, TheTableOfAnEarlierStageIsJoinedByItsAxes) {
  RunTable table = table_of_text(runs);
  table.join(
      table_of_text("train.seed,train.lr,unit_seconds,validation,accuracy\n2,0.1,1,.9,1\n1,0.1,1,.8,1\n"));
  EXPECT_THAT(table.keys(), ElementsAre("accuracy", "validation"));
  EXPECT_THAT(table.column("validation"), ElementsAre(".8", ".9", ""));
  EXPECT_THAT(table.column("accuracy"), ElementsAre(".5", ".6", ""));
}

TEST(RunTable, AnAxisThatThisTableLacksCountsAsEmpty) {
  RunTable table = table_of_text(runs);
  table.join(table_of_text("train.seed,pre.lr,unit_seconds,validation\n1,,1,.8\n1,0.1,1,.7\n2,0.1,1,.9\n"));
  EXPECT_THAT(table.column("validation"), ElementsAre(".8", "", ".8"));
}

TEST(RunTable, ATableOfOtherMakingHasNoAxes) {
  const RunTable table = table_of_text("algorithm,seed,test\nerm,1,.5\n");
  EXPECT_THAT(table.axes(), IsEmpty());
  EXPECT_THAT(table.keys(), ElementsAre("algorithm", "seed", "test"));
}

TEST(RunTable, OneClearLineForEachMistake) {
  EXPECT_REFUSED(table_of_text("unit,unit_seconds,accuracy\n"), "runs.csv: expected at least ... found none");
  RunTable table = table_of_text(runs);
  EXPECT_REFUSED(table.join(table_of_text("train.batch,unit_seconds,n\n1,1,1\n", "t.csv")),
                 "t.csv: expected axes that runs.csv also has, found 'train.batch'");
  EXPECT_REFUSED(table.join(table_of_text("train.lr,unit_seconds,n\n.1,1,1\n.1,1,2\n", "t.csv")),
                 "t.csv: expected one row for each combination of its axes, found a duplicate of row 0");
}

TEST(RunFolder, TheNearestTrainingStandsBesideATest) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  const Plan plan = plan_of(
      "[pre]\ncommand = \"train\"\nlr = [0.1, 0.2]\nout = \"p.npz\"\n"
      "[train]\nstart = [\"\", \"{pre}\"]\nout = \"w.npz\"\n"
      "[look]\nsource = \"{train}\"\nseed = [1, 2]\n");
  for (const Unit& unit : plan.units) {
    const bool look = unit.stage == "look";
    const std::string result = look
                                   ? R"("page": "a", "bytes": 1, "records": 1)"
                                   : std::string("\"probability\": ") + (unit.stage == "pre" ? "0.9" : "0.5");
    std::filesystem::create_directories(store.done(unit.name));
    write_bytes(store.done(unit.name) / "record.json",
                std::string(R"({"schema": "leeway.)") + (look ? "report" : "mvn-cdf") +
                    R"(/2", "seconds": 1, "results": [{)" + result + "}]}");
  }
  const RunTable table = runs_of_folder(plan, store, "", nullptr);
  EXPECT_EQ(table.rows(), 6u) << "from scratch and from either of two, with two seeds";
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_EQ(table.column("probability")[i], "0.5");
    EXPECT_EQ(table.column("pre.lr")[i].empty(), table.column("train.start")[i].empty());
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

TEST(Roles, AreThoseOfThePlan) {
  RunTable table = with_axes({"render.name", "train.algorithm", "train.augment", "train.lr", "train.seed",
                              "train.select", "train.start", "shift.name", "shift.strength"},
                             "n,accuracy,source_accuracy,kept.validation_worst_group_accuracy");
  EXPECT_EQ(roles_of(table, {}).hyperparameters, table.axes());
  table.roles = {
      {"render.name", "over"},        {"train.algorithm", "algorithm"}, {"train.lr", ""},
      {"train.augment", "algorithm"}, {"train.seed", "repeats"},        {"train.select", "select"},
      {"train.start", "start"},       {"shift.name", "case"},           {"shift.strength", "case"}};
  const tasks::SweepRoles roles = roles_of(table, {});
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
  tasks::SweepReportOptions options;
  options.measure = "mean_error", options.algorithm = {"train.lr"}, options.over = {"train.algorithm"};
  RunTable table = with_axes({"train.algorithm", "train.lr"}, "accuracy,mean_error");
  table.roles = {{"train.algorithm", "algorithm"}};
  const tasks::SweepRoles roles = roles_of(table, options);
  EXPECT_THAT(roles.algorithm, ElementsAre("train.lr"));
  EXPECT_THAT(roles.over, ElementsAre("train.algorithm"));
  EXPECT_THAT(roles.hyperparameters, IsEmpty());
  EXPECT_FALSE(roles.higher_is_better);
  options.better = "higher";
  EXPECT_TRUE(roles_of(table, options).higher_is_better);
}

TEST(Roles, ResultsOfOneRecordAreCases) {
  const RunTable table = table_of_text("train.lr,unit_seconds,target,accuracy\n1,1,blur,.5\n1,1,noise,.5\n");
  const tasks::SweepRoles roles = roles_of(table, {});
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
  tasks::SweepReportOptions options;
  options.measure = "acuracy";
  EXPECT_REFUSED(roles_of(table, options), "--measure: expected ... found 'acuracy'; did you mean accuracy?");
  options.measure = "", options.cases = {"train.lr"}, options.over = {"train.lr"};
  EXPECT_REFUSED(roles_of(table, options), "--over: expected a column without another ... found 'train.lr'");
  EXPECT_REFUSED(roles_of(with_axes({"train.lr"}, "pa"), {}),
                 "--measure: expected a column ... found 'accuracy'");
}

}  // namespace leeway::sweep::testing::collect_test
