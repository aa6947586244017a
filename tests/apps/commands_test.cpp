// Commands of outputs from files to table, record and page, one run of each. What they compute: tests of tasks and analyses.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/version.h"
#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"

namespace leeway::commands_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Commands : public CommandTest {
 protected:
  // Predictions: 0 0 0 clean, 0 0 1 shifted.
  Commands() {
    const std::vector<double> clean{2, 0, 2, 0, 1, 0}, shifted{1.5, .5, 1.5, .5, .5, 1.5};
    write_npy(folder_ / "clean.npy", make_array<double>({3, 2}, clean));
    write_npy(folder_ / "shifted.npy", make_array<double>({3, 2}, shifted));
    write_npy(folder_ / "half.npy", make_array<float>({3, 2}, {1, 0, 1, 0, .5, 0}));  // agrees with clean
    write_npy(folder_ / "y.npy", make_array<std::int64_t>({3}, {0, 1, 1}));
    const Array labels = make_array<std::int64_t>({3}, {0, 0, 1});
    write_npz(folder_ / "clean.npz",
              {{"logits", make_array<double>({3, 2}, clean)},
               {"features", make_array<double>({3, 4}, {0, 0, 1, 2, 10, 0, 2, 1, 20, 1, 0, 0})},
               {"labels", labels}});
    write_npz(folder_ / "shifted.npz",
              {{"logits", make_array<double>({3, 2}, shifted)},
               {"features", make_array<double>({3, 4}, {1, 0, 1, 2, 11, 0, 2, 1, 19, 1, 0, 0})},
               {"labels", labels}});
  }

  // `command --json` says what --out holds and what names `schema`; --report writes the page that `leeway report` makes of it.
  [[nodiscard]] Json checked(const std::string& command, const std::string& schema, bool page = true) const {
    const Json found = record(command + " --out r.json --seed 5" + (page ? " --report page.html" : ""));
    EXPECT_EQ(found, Json::parse(read_bytes(folder_ / "r.json")));
    EXPECT_EQ(found.at("schema"), schema);
    EXPECT_EQ(found.at("seed"), 5);
    EXPECT_EQ(found.at("version"), version);
    EXPECT_GT(found.at("seconds").get<double>(), 0);
    EXPECT_EQ(found.at("command").at(1), command.substr(0, command.find(' ')));
    EXPECT_EQ(run("report r.json --out again.html").code, 0);
    const std::string again = read_bytes(folder_ / "again.html");
    EXPECT_THAT(again, AllOf(StartsWith("<!doctype html>"), HasSubstr("</html>")));
    if (page) {
      EXPECT_EQ(read_bytes(folder_ / "page.html"), again) << command;
    }
    return found;
  }
};

TEST_F(Commands, Pa) {
  const Json found =
      checked("pa clean.npy shifted.npy half.npy --labels y.npy --summaries --ratios 0:1:0.5", "leeway.pa/2");
  ASSERT_EQ(found.at("results").size(), 2);
  EXPECT_EQ(found["results"][0].at("shifted"), "shifted.npy");
  EXPECT_EQ(found["results"][1].at("beta"), "inf");
  EXPECT_EQ(found["inputs"][0].at("xxh3_128"), digest_file(folder_ / "clean.npy"));
}

TEST_F(Commands, PaComparesModelsAndTakesPairs) {
  const Json found =
      record("pa clean.npy shifted.npy --name cnn --compare robust=clean.npy,half.npy --ratios 0,1 --quiet");
  EXPECT_EQ(found["results"][0].at("model"), "cnn");
  EXPECT_EQ(found["results"][1].at("shifted"), "half.npy");
  EXPECT_EQ(found["ar_gap"][0].at("model_plus"), "robust");
  const Json nearest = record("pa clean.npz shifted.npz --pairing nearest --save-pairs p.csv");
  EXPECT_EQ(read_bytes(folder_ / "p.csv"), "clean,shifted\n0,0\n1,1\n2,2\n");
  const Json given = record("pa clean.npz shifted.npz --pairs p.csv");
  EXPECT_EQ(given["results"][0]["pa"], nearest["results"][0]["pa"]);
  EXPECT_EQ(given["inputs"].size(), 3);
  write_text(folder_ / "old.json", R"({"schema": "leeway.pa/1", "results": []})");
  refused({"report old.json", 3, {"old.json: expected a record of schema leeway.pa/2", "'leeway.pa/1'"}});
}

TEST_F(Commands, DemoAssessesItsOwnOutputs) {
  const Outcome said = good("demo shown");
  EXPECT_THAT(said.out, ::testing::HasSubstr("$ leeway assess --source cnn=clean.npz"));
  EXPECT_TRUE(fs::exists(folder_ / "shown/report.html"));
}

TEST_F(Commands, DistancesAndAlign) {
  const Json found = checked("distances clean.npz shifted.npz clean.npy", "leeway.distances/2");
  EXPECT_EQ(found["results"][1]["shifted"], "clean.npy");
  const Json some = record("distances clean.npz shifted.npz --only kl,centroid")["results"][0];
  EXPECT_EQ(some["distances"].size(), 2);
  EXPECT_EQ(run("distances clean.npz shifted.npz").err, "");
  const Json align = checked("align clean.npz shifted.npz", "leeway.align/2");
  EXPECT_EQ(align["results"][0]["n"], 3);
  refused({"align clean.npz clean.npy", 3, {"clean.npy: expected features"}});
}

TEST_F(Commands, Bound) {
  const std::string both = "bound --source clean.npz --target shifted.npy --restarts 2 ";
  const Json found = checked(both + "--temperature off --bootstrap 20", "leeway.bound/3");
  EXPECT_EQ(found["inverse_temperature"], 1);
  EXPECT_EQ(found["dis2"]["restarts"].size(), 2);
}

TEST_F(Commands, BoundEvaluate) {
  write_text(folder_ / "shifts.csv",
             "data_set,truth,guess@0.05,ac\na,.5,.6,.4\na,.7,.7,.4\nb,.8,.5,.4\nb,.4,.6,.4\n");
  const Json found = checked("bound evaluate shifts.csv --coverage .9", "leeway.bound-evaluate/2");
  EXPECT_EQ(found["data_sets"], 2);
  EXPECT_EQ(found["results"][0]["delta"], .05);
  EXPECT_EQ(found["inputs"][0]["shape"].dump(), "[4]");
  EXPECT_EQ(record("bound evaluate shifts.csv --methods ac --delta .2")["results"][0]["delta"], .2);
}

TEST_F(Commands, Select) {
  const std::string pair = "select --clean clean.npy half.npy --shifted shifted.npy clean.npy ";
  const Json found = checked(pair + "--labels y.npy --names early late", "leeway.select/2", false);
  EXPECT_EQ(found["inputs"][1]["path"], "y.npy");
  EXPECT_EQ(found["inputs"].size(), 5);
  EXPECT_EQ(found["selected"]["pa"]["checkpoint"], "late");
  EXPECT_EQ(record(pair)["selected"]["pa"]["checkpoint"], "half.npy");
}

TEST_F(Commands, MvnCdf) {
  write_npy(folder_ / "z.npy", make_array<double>({2, 3}, {0, 0, 0, 1, 2, HUGE_VAL}));
  write_npy(folder_ / "cov.npy", make_array<double>({3, 3}, {1, .5, .2, .5, 1, -.3, .2, -.3, 1}));
  const std::string arguments = "mvn-cdf --upper z.npy --covariance cov.npy ";
  const Json found = checked(arguments, "leeway.mvn-cdf/2", false);
  EXPECT_EQ(found["results"].size(), 2);
  write_npy(folder_ / "z4.npy", make_array<double>({2, 4}, {0, 0, 0, 0, 1, HUGE_VAL, HUGE_VAL, HUGE_VAL}));
  write_npy(folder_ / "cov4.npy", make_array<double>({4, 4}, {1, .5, .2, .1, .5, 1, -.3, .1,  //
                                                              .2, -.3, 1, .1, .1, .1, .1, 1}));
  const Outcome missed =
      run("mvn-cdf --upper z4.npy --covariance cov4.npy --tolerance 1e-9 --max-points 1024");
  EXPECT_EQ(missed.code, 5);
  EXPECT_THAT(missed.out, HasSubstr("1 of 2 exceed the tolerance"));
}

// Two samples, three classes, two inputs: f = W x, W = (1 0; 0 1; -1 0). Sample 0 at (1, 0), sample 1 at (0, .5).
TEST_F(Commands, AverageCase) {
  write_npy(folder_ / "f.npy", make_array<double>({2, 3}, {1, 0, -1, 0, .5, 0}));
  write_npy(folder_ / "j.npy", make_array<double>({2, 3, 2}, {1, 0, 0, 1, -1, 0, 1, 0, 0, 1, -1, 0}));
  write_npy(folder_ / "g.npy",
            make_array<double>({2, 3, 3}, {1, 0, -1, 0, 1, 0, -1, 0, 1, 1, 0, -1, 0, 1, 0, -1, 0, 1}));
  write_npy(folder_ / "c.npy", make_array<double>({2}, {1, 1}));
  write_npy(folder_ / "y2.npy", make_array<std::int64_t>({2}, {0, 1}));
  write_text(folder_ / "groups.csv", "light\ndim\nlit\n");
  const std::string of = "average-case --logits f.npy --jacobian j.npy ";
  const Json found =
      record(of + "--sigma 0,0.5,1 --labels y2.npy --groups groups.csv --out p.npz --report page.html");
  ASSERT_EQ(found.at("results").size(), 9);  // taylor, taylor-mvs, softmax at three sigmas
  EXPECT_EQ(found.at("out"), "p.npz");
  EXPECT_EQ(found.at("classes_are"), "labels");
  EXPECT_EQ(found.at("group_bias").size(), 3);
  EXPECT_THAT(read_bytes(folder_ / "page.html"), HasSubstr("</html>"));
  const ArrayMap arrays = read_npz(folder_ / "p.npz");
  EXPECT_EQ(arrays.at("taylor").shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(arrays.at("targets").view<std::int32_t>()[1], 1);
  EXPECT_FALSE(fs::exists(folder_ / "p.npz.state"));
  // The same by Gram matrices, by a covariance, from a configuration.
  write_text(folder_ / "c.toml", "[average-case]\nsigma = [0, 0.5, 1]\nmethods = [\"taylor\"]\n");
  for (const char* same :
       {"--logits f.npy --gram g.npy", "--logits f.npy --jacobian j.npy --noise-covariance c.npy"}) {
    const Json other = record(std::string("average-case --config c.toml ") + same);
    ASSERT_EQ(other.at("results").size(), 3) << same;
    EXPECT_NEAR(other["results"][2].at("mean"), found["results"][2].at("mean"), 1e-9) << same;
  }
  EXPECT_EQ(run(of + "--sigma 1").err, "");
}

TEST_F(Commands, ListAndItsPage) {
  const Json found = checked("list estimators", "leeway.list/2", false);
  EXPECT_THAT(read_bytes(folder_ / "again.html"), HasSubstr("atc-conf"));
  EXPECT_EQ(found["results"].size(), 1);
  EXPECT_THAT(run("list estimators").out, HasSubstr("atc-conf"));
}

TEST_F(Commands, FiguresAreFilesInTheirFolder) {
  ASSERT_EQ(run("pa clean.npy shifted.npy --figures deep/figures").code, 0);
  std::set<std::string> endings;
  for (const auto& entry : fs::directory_iterator(folder_ / "deep/figures"))
    endings.insert(entry.path().extension().string());
  EXPECT_TRUE(endings.contains(".tex") && endings.contains(".csv"));
  EXPECT_THAT(read_bytes(folder_ / "deep/figures/overview-every-shifted-set-against-the-clean-one.csv"),
              StartsWith("Shifted set,PA,PA low,PA high,"));
  const Outcome said = run_command(folder_, "pa clean.npy shifted.npy --figures f", "export PATH=/nowhere; ");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("leeway: --figures: SVG files require the program node\n"));
  refused({"pa clean.npy shifted.npy --figures y.npy", 1, {"y.npy: cannot write: Not a directory"}});
  const std::string figure = "deep/figures/overview-every-shifted-set-against-the-clean-one.csv";
  write_text(folder_ / figure, "seed = 1\n");
  refused({"pa clean.npy shifted.npy --figures deep/figures --config " + figure, 2, {figure, "the input"}});
  EXPECT_EQ(read_bytes(folder_ / figure), "seed = 1\n");
}

}  // namespace leeway::commands_test
