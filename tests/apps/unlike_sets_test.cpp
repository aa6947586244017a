// Sets that are not what they are taken for, in every command that compares two of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class UnlikeSets : public CommandTest {
 protected:
  static constexpr std::size_t n = 1000, k = 10;

  // Logits of n samples whose classes come in the order that `order` shuffles, or sorted (0).
  static std::vector<double> logits(std::uint64_t seed, std::uint64_t order,
                                    std::vector<std::int64_t>& labels) {
    labels.resize(n);
    std::vector<std::size_t> places(n);
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (order > 0) shuffle(places, order, stream("unlike sets"));
    for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(places[i] * k / n);
    std::vector<double> values(n * k);
    for (std::size_t i = 0; i < n; ++i) {
      Random random(seed, stream("unlike logits"), i);
      for (std::size_t j = 0; j < k; ++j)
        values[i * k + j] = 2 * random.normal() + (static_cast<std::size_t>(labels[i]) == j ? 4 : 0);
    }
    return values;
  }
  void save(const std::string& name, std::uint64_t seed, std::uint64_t order, bool with_labels) const {
    std::vector<std::int64_t> labels;
    ArrayMap arrays{{"logits", make_array<double>({n, k}, logits(seed, order, labels))}};
    if (with_labels) arrays["labels"] = make_array<std::int64_t>({n}, labels);
    write_npz(folder_ / name, arrays);
  }
  // The rows of `seed` and `order` with noise.
  void save_shifted(const std::string& name, std::uint64_t seed, std::uint64_t order,
                    bool with_labels) const {
    std::vector<std::int64_t> labels;
    std::vector<double> values = logits(seed, order, labels);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += Random(seed, stream("unlike noise"), i).normal();
    ArrayMap arrays{{"logits", make_array<double>({n, k}, std::move(values))}};
    if (with_labels) arrays["labels"] = make_array<std::int64_t>({n}, labels);
    write_npz(folder_ / name, arrays);
  }
  [[nodiscard]] Json result(const std::string& arguments) const {
    const Outcome said = run("assess --no-bounds --json --quiet " + arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return Json::parse(said.out)["results"][0];
  }
};

TEST_F(UnlikeSets, UnrelatedSetsOfEqualLengthAreNoPairsForAnAssessment) {
  save("s.npz", 1, 1, true);
  save("t.npz", 2, 2, false);
  const Outcome said =
      run("assess --source s.npz --target prod=t.npz --restarts 1 --report r.html --fail-if 'afr_pred<0.5'");
  EXPECT_EQ(said.code, 4) << said.err;
  EXPECT_THAT(said.out, Not(HasSubstr("changes its mind")));
  EXPECT_THAT(said.out, HasSubstr("not compared one by"));
  EXPECT_LT(said.out.find("nothing shows"), said.out.find("target "));  // above the table
  EXPECT_THAT(said.out, HasSubstr("gate afr_pred<0.5: undecided"));
  EXPECT_THAT(read_text(folder_ / "r.html"),
              HasSubstr("Rows of prod are not compared one by one: nothing shows"));
  const Json found = result("--source s.npz --target prod=t.npz");
  EXPECT_EQ(found["paired"], false);
  EXPECT_EQ(found["pairing"]["evidence"], "none");
  EXPECT_THAT(found["not_computed"]["pa"].get<std::string>(), StartsWith("nothing shows that row i"));
  EXPECT_THAT(found["warnings"].dump(), HasSubstr("--paired yes overrules"));
}

TEST_F(UnlikeSets, SortedSetsWithEqualLabelsAreNoPairsForAnAssessment) {
  save("s.npz", 1, 0, true);
  save("t.npz", 2, 0, true);
  EXPECT_EQ(result("--source s.npz --target prod=t.npz")["paired"], false);
  save_shifted("noise.npz", 1, 0, true);
  const Json pairs = result("--source s.npz --target noise=noise.npz");
  EXPECT_EQ(pairs["paired"], true);
  EXPECT_EQ(pairs["pairing"]["evidence"], "agreement");
}

TEST_F(UnlikeSets, PairedYesOverrulesAndWarns) {
  save("s.npz", 1, 1, true);
  save("t.npz", 2, 2, false);
  const Json found = result("--source s.npz --target prod=t.npz --paired yes");
  EXPECT_EQ(found["paired"], true);
  EXPECT_THAT(found["warnings"].dump(), HasSubstr("said to be paired, but nothing shows it"));
  save_shifted("noise.npz", 1, 1, false);
  EXPECT_THAT(result("--source s.npz --target noise=noise.npz --paired yes")["warnings"].dump(),
              Not(HasSubstr("nothing shows")));
}

TEST_F(UnlikeSets, CommandsOfPairsWarnOnTheirFirstLine) {
  save("s.npz", 1, 1, false);
  save("t.npz", 2, 2, false);
  const Outcome pa = run("pa s.npz t.npz --out r.json");
  EXPECT_EQ(pa.code, 0) << pa.err;
  const std::string doubt =
      "rows of t.npz need not be those of s.npz, with which they are compared: predictions agree "
      "in place no more than chance may have it";
  EXPECT_THAT(pa.out, StartsWith(doubt));
  EXPECT_THAT(pa.err, HasSubstr(doubt));
  EXPECT_EQ(Json::parse(read_text(folder_ / "r.json"))["results"][0]["pairing"]["evidence"], "none");
  EXPECT_EQ(run("report r.json --out r.html").code, 0);
  EXPECT_THAT(read_text(folder_ / "r.html"),
              HasSubstr("Nothing shows that rows of t.npz are those of the clean set"));
  EXPECT_THAT(run("distances s.npz t.npz").out, StartsWith("kl: " + doubt));
  EXPECT_THAT(run("distances s.npz t.npz --only wasserstein").out, Not(HasSubstr("need not be")));
  EXPECT_THAT(run("select --clean s.npz --shifted t.npz").out, StartsWith(doubt));
  save_shifted("noise.npz", 1, 1, false);
  for (const char* command :
       {"pa s.npz noise.npz", "distances s.npz noise.npz", "select --clean s.npz --shifted noise.npz"}) {
    const Outcome said = run(command);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.err, "") << command;
    EXPECT_THAT(said.out, Not(HasSubstr("need not be")));
  }
}

class UnlikeColumns : public CommandTest {
 protected:
  [[nodiscard]] std::string refusal(const std::string& arguments) const {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 3) << arguments << said.out;
    EXPECT_EQ(said.out, "");
    return said.err;
  }
  static std::vector<std::string> commands(const std::string& source, const std::string& target) {
    return {"assess --quiet --source " + source + " --target t=" + target,
            "pa --quiet " + source + " " + target, "bound --quiet --source " + source + " --target " + target,
            "distances --quiet " + source + " " + target,
            "select --quiet --clean " + source + " --shifted " + target};
  }
};

TEST_F(UnlikeColumns, ClassesInAnotherOrderAreRefusedByEveryCommand) {
  std::ofstream(folder_ / "s.csv") << "logit_cat,logit_dog,label\n2,0,cat\n0,3,dog\n2,1,cat\n";
  std::ofstream(folder_ / "t.csv") << "logit_dog,logit_cat,label\n0,2,cat\n3,0,dog\n1,2,cat\n";
  for (const std::string& command : commands("s.csv", "t.csv"))
    EXPECT_EQ(
        refusal(command),
        "leeway: t.csv: expected class 0 to be 'cat', as in s.csv, found 'dog': the same classes in another "
        "order\n");
}

TEST_F(UnlikeColumns, LogitsBesideProbabilitiesAreRefusedByEveryCommand) {
  write_npz(folder_ / "s.npz", {{"logits", make_array<double>({2, 2}, {2, 0, 0, 3})},
                                {"labels", make_array<std::int64_t>({2}, {0, 1})}});
  write_npy(folder_ / "t.npy", make_array<double>({2, 2}, {.75, .25, .5, .5}));
  for (const std::string& command : commands("s.npz", "t.npy"))
    EXPECT_EQ(refusal(command), "leeway: t.npy: expected logits, as in s.npz, found probabilities\n");
  for (const std::string& command : commands("s.npz", "t.npy"))
    EXPECT_EQ(run(command + " --as logits").code, 0) << command;
}

TEST_F(UnlikeColumns, ProbabilitiesInPlaceOfLogitsAreSaidByEveryCommand) {
  const Array shares = make_array<double>({3, 2}, {.75, .25, .5, .5, .125, .875});
  write_npz(folder_ / "p.npz", {{"logits", shares}, {"labels", make_array<std::int64_t>({3}, {0, 1, 1})}});
  write_npz(folder_ / "named.npz", {{"probs", shares}, {"labels", make_array<std::int64_t>({3}, {0, 1, 1})}});
  for (const std::string& quiet : commands("p.npz", "p.npz")) {
    const std::size_t at = quiet.find("--quiet ");
    const Outcome said = run(quiet.substr(0, at) + quiet.substr(at + 8));
    EXPECT_EQ(said.code, 0) << quiet << said.err;
    EXPECT_THAT(said.err, HasSubstr("p.npz: logits: taken as probabilities, not as logits")) << quiet;
  }
  const auto pa = [&](const std::string& arguments) {
    return Json::parse(run("pa --quiet --json " + arguments).out)["results"][0]["pa"].get<double>();
  };
  EXPECT_EQ(pa("p.npz p.npz"), pa("named.npz named.npz"));
}

TEST_F(UnlikeColumns, GradientsAreThoseOfLogitsUnlessItIsSaid) {
  write_npy(folder_ / "f.npy", make_array<double>({1, 2}, {.75, .25}));
  write_npy(folder_ / "j.npy", make_array<double>({1, 2, 1}, {1, -1}));
  EXPECT_EQ(
      refusal("average-case --logits f.npy --jacobian j.npy --sigma .1"),
      "leeway: f.npy: expected logits, whose gradients are in j.npy (--as logits, where they are), found "
      "probabilities\n");
  EXPECT_EQ(run("average-case --logits f.npy --jacobian j.npy --sigma .1 --as logits").code, 0);
}

}  // namespace
}  // namespace leeway
