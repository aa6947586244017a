// leeway distances, from files to table and record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DistancesCommand : public CommandTest {
 protected:
  // Probabilities (3/4, 1/4) and (1/4, 3/4); features 2 apart.
  DistancesCommand() {
    const double x = std::log(3);
    write_npz(folder_ / "clean.npz", {{"logits", make_array<double>({1, 2}, {x, 0})},
                                      {"features", make_array<double>({1, 1}, {5})}});
    write_npz(folder_ / "moved.npz", {{"logits", make_array<double>({1, 2}, {0, x})},
                                      {"features", make_array<double>({1, 1}, {7})}});
    write_npy(folder_ / "longer.npy", make_array<double>({2, 2}, {x, 0, x, 0}));
    write_npy(folder_ / "wider.npy", make_array<double>({1, 3}, {x, 0, 0}));
  }

  [[nodiscard]] Json record(const std::string& arguments) const {
    const Outcome said = run("distances " + arguments + " --json");
    EXPECT_EQ(said.code, 0) << said.err;
    return Json::parse(said.out);
  }
};

TEST_F(DistancesCommand, RecordByHand) {
  const Json all = record("clean.npz moved.npz longer.npy");
  EXPECT_EQ(all.at("schema"), "leeway.distances/2");
  ASSERT_EQ(all.at("results").size(), 2);
  const Json& moved = all["results"][0];
  EXPECT_EQ(moved.at("shifted"), "moved.npz");
  EXPECT_EQ(moved.at("n_clean"), 1);
  EXPECT_EQ(moved.at("k"), 2);
  const Json& d = moved.at("distances");
  EXPECT_EQ(d.size(), 7);
  EXPECT_NEAR(d.at("kl"), .5 * std::log(3), 1e-15);  // 3/4 log 3 - 1/4 log 3
  EXPECT_NEAR(d.at("wasserstein"), .5, 1e-15);
  EXPECT_NEAR(d.at("wasserstein-flattened"), 0, 1e-15);
  EXPECT_EQ(d.at("centroid"), 2);
  EXPECT_EQ(d.at("frechet"), 4);
  EXPECT_TRUE(moved.at("not_computed").empty());
  const Json& longer = all["results"][1];
  EXPECT_EQ(longer.at("n_shifted"), 2);
  EXPECT_TRUE(longer.at("distances").at("kl").is_null());
  EXPECT_EQ(longer.at("not_computed").at("kl"), "rows are not paired: 1 and 2");
  EXPECT_EQ(longer.at("not_computed").at("mmd"), "longer.npy has no features");
  EXPECT_NEAR(longer.at("distances").at("wasserstein"), 0, 1e-15);
}

TEST_F(DistancesCommand, OnlyWhatWasAskedFor) {
  const Json d = record("clean.npz moved.npz --only kl,centroid")["results"][0].at("distances");
  EXPECT_EQ(d.size(), 2);
  EXPECT_EQ(d.at("centroid"), 2);
}

TEST_F(DistancesCommand, TableSaysWhyADashIsADash) {
  const Outcome said = run("distances clean.npz moved.npz longer.npy");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("Furthest from the clean set is moved.npz by kl"), HasSubstr("0.54931"),
                    HasSubstr("longer.npy"), HasSubstr("-  kl: rows are not paired: 1 and 2")));
}

TEST_F(DistancesCommand, MistakesAndBadInput) {
  EXPECT_EQ(run("distances clean.npz").code, 2);
  EXPECT_EQ(run("distances clean.npz moved.npz --only kl,no-such").code, 2);
  EXPECT_EQ(run("distances clean.npz moved.npz --only").code, 2);
  const Outcome wider = run("distances clean.npz wider.npy");
  EXPECT_EQ(wider.code, 3);
  EXPECT_EQ(wider.out, "");
  EXPECT_EQ(wider.err, "leeway: wider.npy: expected 2 classes, as in clean.npz, found 3\n");
  EXPECT_EQ(run("distances clean.npz missing.npy").code, 3);
}

}  // namespace
}  // namespace leeway
