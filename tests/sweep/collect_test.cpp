// Records of a stage as one table.
#include "leeway/sweep/collect.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "leeway/sweep/checked_files.h"
#include "tests/core/files.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing {
namespace {

using leeway::testing::read_bytes;
using leeway::testing::TemporaryFolder;
using leeway::testing::write_bytes;

class Collect : public ::testing::Test {
 protected:
  Collect() {
    write_plan(store_.plan(), plan_of("[look]\nsource = [\"one\", \"t,wo\"]\nseed = [1, 2]\n"));
    plan_ = std::make_unique<PlanFile>(store_.plan());
  }
  void put(std::size_t unit, const std::string& text) const {
    std::filesystem::create_directories(store_.done(plan_->units[unit].name));
    write_bytes(store_.done(plan_->units[unit].name) / "record.json", text);
  }
  record::SweepTable table(const record::SweepCollectOptions& options = {},
                           const char* name = "runs.csv") const {
    return collect(*plan_, store_, options, (folder_ / name).string(), nullptr);
  }
  std::string mistake(const record::SweepCollectOptions& options = {}) const {
    return message_of([&] { (void)table(options); });
  }
  std::string name(std::size_t unit) const { return plan_->units[unit].name; }

  const TemporaryFolder folder_;
  const Store store_{folder_.path()};
  std::unique_ptr<PlanFile> plan_;
};

std::string record_of(const std::string& results) {
  return R"({"schema": "leeway.mvn-cdf/2", "seconds": 0.25, "results": [)" + results + "]}";
}

TEST_F(Collect, ARowForEachResult) {
  put(0,
      record_of(R"({"probability": 0.1, "converged": true, "method": "a \"b\""}, {"probability": "inf"})"));
  put(3, record_of(R"({"probability": null, "points": 7})"));
  const record::SweepTable made = table({"", {"probability", "converged", "points", "method"}});
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
  const record::SweepTable made = table();
  EXPECT_EQ(made.columns.at(4), "probability");
  EXPECT_EQ(std::count(made.columns.begin(), made.columns.end(), "error"), 1);
}

// Of an axis whose first value is an option left out.
TEST_F(Collect, AnAxisIsAColumnWhereItsFirstValueIsEmpty) {
  write_plan(store_.plan(), plan_of("[look]\nsource = [\"\", \"two\"]\nseed = [1, 2]\n"));
  plan_ = std::make_unique<PlanFile>(store_.plan());
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
  EXPECT_EQ(packed.read({"look.seed", "probability"}), plain.read({"look.seed", "probability"}));
}

TEST(CollectAxes, AUnitWithoutTheAxisHasAnEmptyField) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  write_plan(store.plan(), plan_of("[draw]\ncommand = \"data draw\"\nseed = [7, 8]\nout = \"x.npz\"\n"
                                   "[look]\nsource = [\"good\", \"{draw}\"]\nseed = 1\n"));
  const PlanFile plan(store.plan());
  for (const PlannedUnit& unit : plan.units) {
    if (unit.stage == 0) continue;
    std::filesystem::create_directories(store.done(unit.name));
    write_bytes(store.done(unit.name) / "record.json", record_of(R"({"points": 9007199254740993})"));
  }
  (void)collect(plan, store, {"", {"points"}}, (folder / "runs.csv").string(), nullptr);
  const std::string text = read_bytes(folder / "runs.csv");
  EXPECT_TRUE(text.starts_with("unit,draw.seed,look.source,unit_seconds,points\n"));
  EXPECT_NE(text.find(",,good,0.25,9007199254740993\n"), std::string::npos) << text;
  EXPECT_THAT(message_of([&] { (void)collect(plan, store, {}, (folder / "runs.npz").string(), nullptr); }),
              ::testing::HasSubstr("ends in .csv or .csv.gz, found '.npz'"));
}

TEST_F(Collect, OneClearLineForEachMistake) {
  EXPECT_EQ(mistake(), folder_.path().string() + ": expected a record of [look], found none yet");
  put(0, record_of(R"({"probability": 0.1})"));
  EXPECT_EQ(mistake({"lok", {}}), "--stage: expected one of look, found 'lok'; did you mean look?");
  EXPECT_EQ(mistake({"", {"probabilty"}}),
            "--columns: expected keys of a result of leeway.mvn-cdf/2 with one value, or one in each element "
            "of a list, found 'probabilty'; did you mean probability?");
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
  EXPECT_EQ(mistake(), unit + "/record.json: expected the contents that the unit wrote (remove " + unit +
                           " and run again), found other contents");
}

// Spreadsheets evaluate what begins with =.
TEST_F(Collect, NamesAreNoFormulas) {
  put(0, record_of(R"({"probability": -0.1, "method": "=A1"})"));
  (void)table({"", {"probability", "method"}});
  EXPECT_THAT(read_bytes(folder_ / "runs.csv"), ::testing::HasSubstr(",-0.1,'=A1\n"));
}

}  // namespace
}  // namespace leeway::sweep::testing
