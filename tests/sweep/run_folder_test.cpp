// The records of a stage beside those of the training before it.
#include "leeway/sweep/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/core/files.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing {
namespace {

using leeway::testing::TemporaryFolder;
using leeway::testing::write_bytes;

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

}  // namespace
}  // namespace leeway::sweep::testing
