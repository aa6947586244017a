// Tables of runs, read and joined.
#include "leeway/sweep/run_table.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include "tests/core/files.h"
#include "tests/message_of.h"
#include "tests/sweep/run_tables.h"

namespace leeway::sweep::testing {
namespace {

using ::testing::ElementsAre;

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

TEST(RunTable, CompressedFilesAreReadAlike) {
  const leeway::testing::TemporaryFolder folder;
  const std::string path = (folder / "runs.csv.gz").string();
  const gzFile file = ::gzopen(path.c_str(), "wb");
  ::gzputs(file, runs);
  ::gzclose(file);
  EXPECT_EQ(RunTable(path).read({"accuracy"}), table_of_text(runs).read({"accuracy"}));
}

TEST(RunTable, OneClearLineForEachMistake) {
  EXPECT_EQ(message_of([] { (void)table_of_text("unit,unit_seconds,accuracy\n"); }),
            "runs.csv: expected at least one run, found none");
  RunTable table = table_of_text(runs);
  EXPECT_EQ(message_of([&] { table.join(table_of_text("train.batch,unit_seconds,n\n1,1,1\n", "t.csv")); }),
            "t.csv: expected axes that runs.csv has, too, found 'train.batch'");
  EXPECT_EQ(
      message_of([&] { table.join(table_of_text("train.lr,unit_seconds,n\n.1,1,1\n.1,1,2\n", "t.csv")); }),
      "t.csv: expected one row for each combination of its axes, found two of row 0");
}

}  // namespace
}  // namespace leeway::sweep::testing
