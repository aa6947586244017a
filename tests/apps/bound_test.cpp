// leeway bound and leeway bound evaluate, from files to table and record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string estimates = "--methods ac,doc,atc-conf,atc-ne,cot,cot-corrected ";

class BoundCommand : public CommandTest {
 protected:
  // Odds 3:1, 3:1, 7:1 and 1:1 in the source, 7:1, 3:1, 1:3, 1:1 in the target
  // (worked out in tests/error_bound/estimator_test.cpp).
  BoundCommand() {
    const double a = std::log(3), b = std::log(7);
    write_npz(folder_ / "source.npz", {{"logits", make_array<double>({4, 2}, {a, 0, a, 0, b, 0, 0, 0})},
                                       {"labels", make_array<std::int64_t>({4}, {0, 0, 1, 0})}});
    write_npy(folder_ / "target.npy", make_array<double>({4, 2}, {b, 0, a, 0, 0, a, 0, 0}));
  }

  [[nodiscard]] Json record(const std::string& arguments) const {
    const Outcome said = run("bound " + arguments + " --json");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    return Json::parse(said.out);
  }

  // The one line that a refusal prints.
  [[nodiscard]] std::string refusal(const std::string& arguments, int code) const {
    const Outcome said = run("bound " + arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    return said.err;
  }

  void write_logits(const std::string& name, std::size_t n, std::size_t k, double skill) const {
    Random random(1, stream(name));
    std::vector<double> logits(n * k);
    std::vector<std::int64_t> labels(n);
    for (double& value : logits) value = random.normal();
    for (std::size_t i = 0; i < n; ++i) {
      labels[i] = static_cast<std::int64_t>(random.below(k));
      logits[i * k + static_cast<std::size_t>(labels[i])] += skill;
    }
    write_npz(folder_ / name, {{"logits", make_array({n, k}, logits)}, {"labels", make_array({n}, labels)}});
  }
};

TEST_F(BoundCommand, RecordHoldsEveryPromisedKey) {
  const Json r = record("--source source.npz --target target.npy --temperature off --seed 3 " + estimates);
  EXPECT_EQ(r.at("schema"), "leeway.bound/2");
  EXPECT_EQ(r.at("inputs").size(), 2);
  EXPECT_EQ(r.at("seed"), 3);
  EXPECT_EQ(r.at("inverse_temperature"), 1);
  EXPECT_EQ(r.at("source").at("error"), .25);
  EXPECT_TRUE(r.at("target").at("error").is_null());
  EXPECT_TRUE(r.at("dis2").is_null());
  const std::pair<const char*, double> expected[] = {{"ac", 9. / 32},   {"doc", .25},
                                                     {"atc-conf", .25}, {"atc-ne", .25},
                                                     {"cot", 9. / 32},  {"cot-corrected", .25}};
  ASSERT_EQ(r.at("results").size(), 6);
  for (std::size_t m = 0; m < 6; ++m) {
    const Json& result = r["results"][m];
    EXPECT_EQ(result.at("method"), expected[m].first);
    EXPECT_NEAR(result.at("error"), expected[m].second, 1e-12);
    EXPECT_EQ(result.at("is_bound"), false);
    EXPECT_LE(result.at("error_low").get<double>(), result["error"].get<double>());
    EXPECT_GE(result.at("error_high").get<double>(), result["error"].get<double>());
  }
}

TEST_F(BoundCommand, SameSeedSameBits) {
  write_logits("a.npz", 300, 4, 2), write_logits("b.npz", 200, 4, 1);
  const std::string arguments = "--source a.npz --target b.npz --bootstrap 30 " + estimates;
  const Json one = record(arguments + "--seed 1 --threads 1"),
             two = record(arguments + "--seed 1 --threads 3");
  EXPECT_EQ(one.at("results"), two.at("results"));
  EXPECT_NE(one.at("results"), record(arguments + "--seed 2").at("results"));
  EXPECT_GT(one.at("target").at("error").get<double>(), one.at("source").at("error").get<double>());
}

TEST_F(BoundCommand, TableSaysWhatIsAssumed) {
  const Outcome said = run("bound --source source.npz --target target.npy " + estimates);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("Estimates without labels say 25 to 48%.\n\nmethod"),
                              HasSubstr("cot-corrected"), HasSubstr("atc-conf, atc-ne: right if as large"),
                              HasSubstr("source            25.00"), HasSubstr("It is too low if"),
                              HasSubstr("An estimate is no bound")));
}

TEST_F(BoundCommand, WithoutTheBootstrapThereAreNoIntervals) {
  const Json r = record("--source source.npz --target target.npy --methods ac --bootstrap 0");
  EXPECT_TRUE(r.at("results")[0].at("error_low").is_null());
  EXPECT_TRUE(r.at("results")[0].at("error_high").is_null());
}

TEST_F(BoundCommand, LabelsFromAFileOfTheirOwn) {
  write_npy(folder_ / "s.npy", make_array<double>({2, 2}, {1.5, .5, 1.5, .5}));
  write_npy(folder_ / "y.npy", make_array<std::int64_t>({2}, {0, 1}));
  const Json r = record("--source s.npy --labels y.npy --target target.npy --methods ac");
  EXPECT_EQ(r.at("source").at("error"), .5);
  ASSERT_EQ(r.at("inputs").size(), 3);
  EXPECT_EQ(r["inputs"][1].at("path"), "y.npy");
  EXPECT_EQ(r["inputs"][1].at("shape"), Json::parse("[2]"));
}

TEST_F(BoundCommand, WritesThePage) {
  (void)record("--source source.npz --target target.npy --restarts 2 --report page.html");
  EXPECT_THAT(read_text(folder_ / "page.html"), AllOf(HasSubstr("of 2</h2>"), HasSubstr("</html>")));
}

// One target row; two classes of which the source shows one; every source row right.
TEST_F(BoundCommand, SmallAndOneSidedInputsAreAnswered) {
  write_npy(folder_ / "one.npy", make_array<double>({1, 2}, {.5, 1.5}));
  write_npz(folder_ / "right.npz", {{"logits", make_array<double>({3, 2}, {1, 0, 2, 0, 3, 0})},
                                    {"labels", make_array<std::int64_t>({3}, {0, 0, 0})}});
  const Json r = record("--source right.npz --target one.npy " + estimates);
  EXPECT_EQ(r.at("inverse_temperature"), "inf");
  const double expected[] = {0, 0, 0, 0, 1, 1};  // sure of class 1, which the source does not have
  for (std::size_t m = 0; m < 6; ++m) EXPECT_EQ(r.at("results")[m].at("error"), expected[m]) << m;
}

class BoundRepresentations : public BoundCommand {
 protected:
  BoundRepresentations() {
    Random random(1, stream("features"));
    for (const char* name : {"fs.npz", "ft.npz"}) {
      std::vector<double> logits(60 * 3), features(60 * 20);
      std::vector<std::int64_t> labels(60);
      for (double& value : logits) value = random.normal();
      for (double& value : features) value = random.normal();
      for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random.below(3));
      write_npz(folder_ / name, {{"logits", make_array<double>({60, 3}, logits)},
                                 {"features", make_array<double>({60, 20}, features)},
                                 {"labels", make_array<std::int64_t>({60}, labels)}});
    }
  }

  [[nodiscard]] Json dis2(const std::string& arguments) const {
    return record("--source fs.npz --target ft.npz --methods dis2 --restarts 2 " + arguments).at("dis2");
  }
};

// One column of noise cannot tell 40 classes: no critic on it agrees with the classifier on a quarter of the source.
TEST_F(BoundCommand, SaysThatTheCriticHardlyAgrees) {
  Random random(2, stream("hardly"));
  for (const char* name : {"few.npz", "others.npz"}) {
    std::vector<double> logits(200 * 40), features(200);
    std::vector<std::int64_t> labels(200);
    for (double& value : logits) value = random.normal();
    for (double& value : features) value = random.normal();
    for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random.below(40));
    write_npz(folder_ / name, {{"logits", make_array<double>({200, 40}, logits)},
                               {"features", make_array<double>({200, 1}, features)},
                               {"labels", make_array<std::int64_t>({200}, labels)}});
  }
  const std::string arguments =
      "--source few.npz --target others.npz --methods dis2 --representation features";
  const Json dis2 = record(arguments + " --report page.html").at("dis2");
  EXPECT_LT(dis2.at("agreement_source").get<double>(), .25);
  EXPECT_LE(dis2.at("validity_score").get<double>(), 4 * dis2.at("agreement_source").get<double>());
  const std::string warning = dis2.at("critic_warning");
  EXPECT_THAT(warning, HasSubstr("The critic behind the bound agrees with the classifier on "));
  EXPECT_THAT(run("bound " + arguments).out, HasSubstr("\nThe critic behind the bound agrees with"));
  EXPECT_THAT(read_text(folder_ / "page.html"), HasSubstr(warning));
}

TEST_F(BoundRepresentations, FractionsAreCountsOfComponents) {
  EXPECT_EQ(dis2("").at("representation"), "logits");
  EXPECT_EQ(dis2("--representation features").at("representation"), "features");
  const Json share = dis2("--representation pca:1/6"), count = dis2("--representation pca:3");
  EXPECT_EQ(share.at("representation"), "pca:3");
  EXPECT_EQ(share, count);
  EXPECT_TRUE(count.at("range").is_null());
}

TEST_F(BoundRepresentations, RangeShowsEveryBoundAndTheChosenOne) {
  const Json all = record(
      "--source fs.npz --target ft.npz --methods dis2 --restarts 2 --representation pca:range "
      "--least-validity 0 --delta .02");
  const Json& found = all.at("dis2");
  EXPECT_EQ(all.at("options").at("delta"), .02);
  const Json& bounds = found.at("range").at("bounds");
  ASSERT_EQ(bounds.size(), 2u);  // 20 and 5; 20/16 would be fewer than 4
  EXPECT_EQ(bounds[0].at("components"), 20);
  EXPECT_EQ(bounds[1].at("components"), 5);
  const auto least = std::min(bounds[0].at("bound").get<double>(), bounds[1].at("bound").get<double>());
  EXPECT_EQ(found.at("bound"), least);
  const bool first = bounds[0].at("bound") == least;
  EXPECT_EQ(found.at("representation"), first ? "pca:20" : "pca:5");
  EXPECT_EQ(found.at("range").at("chosen"), first ? 0 : 1);
  const Outcome said =
      run("bound --source fs.npz --target ft.npz --methods dis2 --restarts 2 --representation pca:range "
          "--report page.html");
  EXPECT_THAT(read_text(folder_ / "page.html"), HasSubstr("fewer and fewer principal components"));
  EXPECT_THAT(said.out, AllOf(HasSubstr("components  validity"), HasSubstr("chosen"),
                              HasSubstr("each of the 2 holds at delta / 2"),
                              HasSubstr("principal components of the features")));
}

// Half of 60 and 60 rows, right by chance alone: nothing is proved, and the line says what that means.
TEST_F(BoundRepresentations, CorollaryWhereTheTargetHasLabels) {
  const Json found = dis2("--stratified");
  const Json& corollary = found.at("corollary");
  EXPECT_EQ(corollary.at("holds"), corollary.at("target_error") <= corollary.at("threshold"));
  const double root = std::sqrt(2 * 60 * std::log(100.) / 900);
  EXPECT_LE(corollary.at("threshold").get<double>(), found.at("estimate").get<double>() - root + 1e-12);
  EXPECT_TRUE(dis2("--holdout 0 --report all.html").at("corollary").is_null());
  EXPECT_THAT(read_text(folder_ / "all.html"), HasSubstr("that chose the critics, which proves nothing"));
  (void)dis2("--report page.html");
  EXPECT_THAT(read_text(folder_ / "page.html"),
              AllOf(HasSubstr("that chose no critic"), HasSubstr("which does not prove the contrary")));
  const Outcome said = run("bound --source fs.npz --target ft.npz --methods dis2 --restarts 2");
  EXPECT_THAT(said.out, AllOf(HasSubstr("(Corollary E.2)"), HasSubstr("does not prove the contrary")));
  const Json without = record("--source source.npz --target target.npy --restarts 2").at("dis2");
  EXPECT_TRUE(without.at("corollary").is_null());
}

TEST_F(BoundRepresentations, MistakesAreOneLine) {
  const std::string both = "--source fs.npz --target ft.npz --methods dis2 ";
  for (const char* text :
       {"pca", "pca:", "pca:0", "pca:-1", "pca:1.5", "pca:1/0", "pca:1/", "pca:2/3", "PCA:3"})
    EXPECT_EQ(refusal(both + "--representation " + text, 2),
              std::string("leeway: --representation: expected logits, features, pca:COMPONENTS, pca:1/F or "
                          "pca:range, found ") +
                  text + " (see leeway bound --help)\n");
  EXPECT_EQ(refusal(both + "--representation pca:21", 3),
            "leeway: fs.npz: expected 1 to 20 principal components, found 21\n");
  EXPECT_EQ(refusal(both + "--representation pca:1/21", 3),
            "leeway: fs.npz: expected 1 to 20 principal components, found 0\n");
  EXPECT_EQ(refusal("--source source.npz --target target.npy --representation pca:range", 3),
            "leeway: source.npz: expected features, which the critics were asked to use, found none\n");
  EXPECT_THAT(refusal(both + "--loss nope", 2), AllOf(HasSubstr("--loss"), HasSubstr("found 'nope'")));
  for (const char* arguments : {"--delta 0", "--delta 1", "--holdout 1", "--holdout -1", "--restarts 0",
                                "--delta nan", "--holdout nan", "--level nan", "--least-validity nan",
                                "--least-validity 2", "--training-rows 0", "--search best"})
    (void)refusal(both + arguments, 2);
}

TEST_F(BoundRepresentations, EveryLossAndSearchAnswers) {
  for (const char* loss : {"disagreement", "d-bat", "chuang"})
    for (const char* search : {"maximum", "reference"}) {
      const Json found = dis2(std::string("--loss ") + loss + " --search " + search);
      EXPECT_EQ(found.at("restarts").size(), 2u);
      EXPECT_GE(found.at("bound").get<double>(), found.at("estimate").get<double>());
    }
}

TEST_F(BoundCommand, BadInputIsOneLine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_npy(folder_ / "nan.npy", make_array<double>({2, 2}, {2, 0, nan, 0}));
  EXPECT_EQ(refusal("--source source.npz --target nan.npy", 3),
            "leeway: nan.npy: expected finite logits below 1e140, found nan at row 1, class 0\n");
  EXPECT_EQ(refusal("--source target.npy --target target.npy", 3),
            "leeway: target.npy: expected labels, which the source must have, found none\n");
  write_npy(folder_ / "three.npy", make_array<double>({1, 3}, {2, 0, 0}));
  EXPECT_EQ(refusal("--source source.npz --target three.npy", 3),
            "leeway: three.npy: expected 2 classes, as in source.npz, found 3\n");
  EXPECT_THAT(refusal("--source absent.npz --target target.npy", 3), HasSubstr("absent.npz"));
}

TEST_F(BoundCommand, BadUsageIsExitTwo) {
  EXPECT_THAT(refusal("--source source.npz", 2), HasSubstr("expected --source and --target"));
  EXPECT_THAT(refusal("--source source.npz --target target.npy --methods ac,nonsense", 2),
              HasSubstr("nonsense"));
  EXPECT_THAT(refusal("--source source.npz --target target.npy --temperature warm", 2),
              HasSubstr("--temperature"));
  EXPECT_THAT(refusal("--source source.npz --target target.npy --level 2", 2), HasSubstr("--level"));
  EXPECT_THAT(refusal("evaluate", 2), HasSubstr("table"));
}

// Predicted .1 above, right on, .3 below, .2 above (tests/error_bound/evaluation_test.cpp).
class BoundEvaluateCommand : public BoundCommand {
 protected:
  BoundEvaluateCommand() {
    std::ofstream(folder_ / "shifts.csv") << "data_set,truth,guess\na,.5,.6\na,.7,.7\nb,.8,.5\nb,.4,.6\n";
  }
};

TEST_F(BoundEvaluateCommand, RecordHoldsScoresAndAdjustments) {
  const Json r = record("evaluate shifts.csv --delta .01 --coverage .9");
  EXPECT_EQ(r.at("schema"), "leeway.bound-evaluate/2");
  EXPECT_EQ(r.at("data_sets"), 2);
  ASSERT_EQ(r.at("results").size(), 1);
  const Json& guess = r["results"][0];
  EXPECT_EQ(guess.at("method"), "guess");
  EXPECT_NEAR(guess.at("mae"), .15, 1e-12);
  EXPECT_EQ(guess.at("coverage"), .5);
  EXPECT_NEAR(guess.at("overestimation"), .15, 1e-12);
  EXPECT_EQ(guess.at("violation_rate"), .5);
  EXPECT_EQ(guess.at("violation_rate_low"), 1 - guess.at("coverage_high").get<double>());
  EXPECT_EQ(guess.at("exceeds_delta"), true);  // two of four is more than chance at .01
  ASSERT_EQ(guess.at("adjusted").size(), 2);
  EXPECT_EQ(guess["adjusted"][0].at("adjustment"), "shift");
  EXPECT_NEAR(guess["adjusted"][0].at("mae"), .2, 1e-12);  // .4 .5 .4 .5 beside .5 .7 .8 .4
  EXPECT_EQ(guess.at("points").size(), 4);
}

TEST_F(BoundEvaluateCommand, ColumnsNameTheirDelta) {
  std::ofstream(folder_ / "deltas.csv")
      << "data_set,truth,dis2@0.05,dis2@x,ac\na,.5,.6,.6,.4\nb,.7,.8,.6,.4\n";
  const Json r = record("evaluate deltas.csv --delta .2 --report page.html");
  EXPECT_EQ(r["results"][0].at("delta"), .05);  // two of two: at least .158, at level .95
  EXPECT_EQ(r["results"][0].at("exceeds_delta"), true);
  EXPECT_EQ(r["results"][1].at("delta"), .2);
  EXPECT_EQ(r["results"][2].at("exceeds_delta"), false);
  EXPECT_TRUE(record("evaluate deltas.csv")["results"][2].at("delta").is_null());
  EXPECT_THAT(read_text(folder_ / "page.html"), AllOf(HasSubstr("Against delta"), HasSubstr("</html>")));
}

TEST_F(BoundEvaluateCommand, TableShowsThem) {
  const Outcome said = run("bound evaluate shifts.csv --delta .01");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(StartsWith("Over 4 shifts guess understates the error least often, on 50%"),
                    HasSubstr("15.00"), HasSubstr("shift 0.95"), HasSubstr("scale 0.99"),
                    HasSubstr("beyond chance above delta = 1%"), HasSubstr("4 shifts of 2 data sets")));
}

TEST_F(BoundEvaluateCommand, OneDataSetIsScoredWithoutAdjustment) {
  std::ofstream(folder_ / "one.csv") << "target_error,ac\n.5,.25\n";
  const Outcome said = run("bound evaluate one.csv --json");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("one data set"));
  const Json r = Json::parse(said.out).at("results")[0];
  EXPECT_EQ(r.at("mae"), .25);
  EXPECT_EQ(r.at("coverage"), 0);  // the error is understated
  EXPECT_TRUE(r.at("adjusted").empty());
}

TEST_F(BoundEvaluateCommand, BadTablesAreOneLine) {
  std::ofstream(folder_ / "bad.csv") << "truth,ac\n.5,2\n";
  EXPECT_THAT(refusal("evaluate bad.csv", 3),
              HasSubstr("bad.csv: expected column 'ac' within 0 to 1, found 2 at row 0"));
  EXPECT_THAT(refusal("evaluate absent.csv", 3), HasSubstr("absent.csv"));
  EXPECT_EQ(
      refusal("evaluate shifts.csv --delta nan", 2),
      "leeway: --delta: expected a number from 1e-12 to 0.5, found nan (see leeway bound evaluate --help)\n");
  EXPECT_THAT(refusal("evaluate shifts.csv --coverage .9,nan", 2), HasSubstr("--coverage"));
}

}  // namespace
}  // namespace leeway
