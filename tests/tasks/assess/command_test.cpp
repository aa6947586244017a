// The command `leeway assess` from end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <numeric>

#include "leeway/core/csv.h"
#include "leeway/core/npz.h"
#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AssessCommand : public CommandTest {
 protected:
  AssessCommand() {
    // 300 rows of three classes in no order; in shifted.npz every fourth prediction changes.
    std::vector<int> clean(300), shifted(300);
    std::vector<std::int64_t> labels(300);
    std::vector<std::size_t> order(300);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, 1, stream("assess command"));
    for (std::size_t i = 0; i < 300; ++i) labels[i] = static_cast<std::int64_t>(order[i] % 3);
    std::vector<std::size_t> seen(3);
    for (std::size_t i = 0; i < 300; ++i) {
      clean[i] = static_cast<int>(labels[i]);
      shifted[i] = seen[static_cast<std::size_t>(clean[i])]++ % 4 == 0 ? (clean[i] + 1) % 3 : clean[i];
    }
    save("clean.npz", assess::outputs_of(clean, 3), labels);
    save("shifted.npz", assess::outputs_of(shifted, 3), labels);
    clean.resize(200);
    save("unlabelled.npz", assess::outputs_of(clean, 3), {});
    save("binary.npz", assess::outputs_of({0, 1}, 2), {});
  }

  void save(const std::string& name, const Outputs& outputs, const std::vector<std::int64_t>& labels) const {
    std::vector<double> logits = to_f64(outputs.logits, name);
    for (std::size_t i = 0; i < logits.size(); ++i)
      logits[i] += 1e-6 * static_cast<double>(i);  // no two rows alike
    ArrayMap arrays{{"logits", make_array<double>(outputs.logits.shape, std::move(logits))}};
    if (!labels.empty()) arrays["labels"] = make_array<std::int64_t>({labels.size()}, labels);
    write_npz(folder_ / name, arrays);
  }

  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return CommandTest::run("assess " + arguments);
  }
};

TEST_F(AssessCommand, PrintsATable) {
  const Outcome outcome = run("--source clean.npz --target noise=shifted.npz");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              HasSubstr("Under noise, the model changes its mind on 25% of samples and is right on 75%"));
  EXPECT_THAT(outcome.out, HasSubstr("noise   300"));
}

TEST_F(AssessCommand, PrintsTheRecordOfTheContract) {
  const Outcome outcome =
      run("--source cnn=clean.npz --target cnn/noise=shifted.npz prod=unlabelled.npz --json --seed 7");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json record = Json::parse(outcome.out);
  EXPECT_EQ(record["schema"], "leeway.assess/2");
  EXPECT_EQ(record["seed"], 7);
  EXPECT_EQ(record["command"][1], "assess");
  ASSERT_EQ(record["inputs"].size(), 3u);
  EXPECT_EQ(record["inputs"][0]["path"], "clean.npz");
  EXPECT_EQ(record["inputs"][0]["shape"], Json::parse("[300, 3]"));
  EXPECT_EQ(record["inputs"][0]["xxh3_128"].get<std::string>().size(), 32u);
  for (const char* key :
       {"version", "seconds", "headline", "findings", "models", "targets", "class_names", "gates"})
    EXPECT_TRUE(record.contains(key)) << key;
  ASSERT_EQ(record["results"].size(), 2u);
  const Json& paired = record["results"][0];
  EXPECT_EQ(paired["accuracy"], .75);
  EXPECT_EQ(paired["afr_pred"], .75);
  EXPECT_EQ(paired["worst_class"]["accuracy"], .75);
  EXPECT_EQ(record["results"][1]["target"], "prod");
  EXPECT_TRUE(record["results"][1]["accuracy"].is_null());
}

TEST_F(AssessCommand, WritesEveryRowAndTheRecord) {
  const Outcome outcome =
      run("--source clean.npz --target noise=shifted.npz --rows rows.csv --out record.json --report r.html");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const CsvTable rows = read_csv(folder_ / "rows.csv");
  ASSERT_EQ(rows.rows(), 300u);
  std::size_t flipped = 0;
  for (std::size_t i = 0; i < 300; ++i) flipped += rows.columns[*rows.find("flipped")][i] == "1";
  EXPECT_EQ(flipped, 75u);
  EXPECT_EQ(read_record((folder_ / "record.json").string())["results"][0]["n"], 300);
  EXPECT_THAT(read_text(folder_ / "r.html"), HasSubstr("</html>"));
}

TEST_F(AssessCommand, UndecidedGateFailsUnlessToldOtherwise) {
  const std::string line =
      "--source clean.npz --target a=unlabelled.npz b=shifted.npz --fail-if 'accuracy<0.1' ";
  EXPECT_EQ(run(line + "--undecided fail").code, 4);
  EXPECT_EQ(run(line + "--undecided pass").code, 0);
  const Outcome failed = run(line);
  EXPECT_EQ(failed.code, 4);
  EXPECT_THAT(failed.err,
              HasSubstr("gate accuracy<0.1: not decided for model under a: the target has no labels"));
  EXPECT_EQ(run("--source clean.npz --target b=shifted.npz --fail-if 'accuracy<0.1' --undecided fail").code,
            0);
  EXPECT_EQ(run(line + "--undecided maybe").code, 2);
}

TEST_F(AssessCommand, FailsAfterEverythingIsWritten) {
  const Outcome outcome =
      run("--source clean.npz --target noise=shifted.npz --rows rows.csv --out record.json --fail-if "
          "'accuracy<0.8' --fail-if "
          "'worst_class.accuracy<0.1' --no-bounds --fail-if 'error_bound>0.2'");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("gate accuracy<0.8: violated by model under noise (0.75)"));
  EXPECT_THAT(outcome.out, HasSubstr("gate worst_class.accuracy<0.1: not violated"));
  EXPECT_THAT(
      outcome.err,
      HasSubstr("gate error_bound>0.2: not decided for model under noise: bounds and estimates were left "
                "out on request"));
  const Json record = read_record((folder_ / "record.json").string());
  EXPECT_EQ(record["gates"][0]["violated"], true);
  EXPECT_EQ(record["gates"][1]["violated"], false);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "rows.csv"));
}

TEST_F(AssessCommand, GatesOnTheErrorWithoutLabels) {
  const std::string line = "--source clean.npz --target prod=unlabelled.npz --fail-if ";
  // 200 rows of which 100 are held out, as 150 are of the source: the term for chance alone is above .2.
  const Outcome bound = run(line + "'error_bound>0.2'");
  EXPECT_EQ(bound.code, 4);
  EXPECT_THAT(bound.err, HasSubstr("gate error_bound>0.2: violated by model under prod"));
  EXPECT_EQ(run(line + "'error_bound_terms.concentration<0.2'").code, 0);
  // The target has 71, 58 and 71 of 200 rows in the three classes, the source a third: COT moves 26/3 rows.
  EXPECT_EQ(run(line + "'estimates.cot>0.0434'").code, 0);
  EXPECT_EQ(run(line + "'estimates.cot>0.0433'").code, 4);
  EXPECT_EQ(run(line + "'estimates.typo>0.1'").code, 2);
  const Outcome undecided =
      run("--source unlabelled.npz --target prod=clean.npz --fail-if 'estimates.cot>0.1' "
          "--fail-if 'error_bound_terms.discrepancy>0.1'");
  EXPECT_EQ(undecided.code, 4);
  EXPECT_THAT(undecided.err, HasSubstr("gate estimates.cot>0.1: not decided for model under prod: the source "
                                       "has no labels"));
  EXPECT_THAT(undecided.out, HasSubstr("gate error_bound_terms.discrepancy>0.1: undecided"));
}

TEST_F(AssessCommand, PrintsTheErrorWithoutLabels) {
  const Outcome outcome =
      run("--source clean.npz --target noise=shifted.npz --bootstrap 20 --restarts 1 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json record = Json::parse(outcome.out);
  EXPECT_EQ(record["bounds"]["restarts"], 1);
  EXPECT_TRUE(record["results"][0]["estimates"]["cot_low"].is_number());
  const std::string table = run("--source clean.npz --target noise=shifted.npz").out;
  EXPECT_THAT(table,
              HasSubstr("The error in % without labels of the target: probably, at most, and six estimates\n"
                        "target  probably  at most"));
  EXPECT_THAT(table, HasSubstr("The bound holds with probability 99%"));
  EXPECT_THAT(run("--source clean.npz --target noise=shifted.npz --no-bounds").out,
              Not(HasSubstr("at most")));
}

TEST_F(AssessCommand, ReadsAPathThatHasAnEqualsSign) {
  std::filesystem::create_directories(folder_ / "run=3");
  std::filesystem::copy_file(folder_ / "clean.npz", folder_ / "run=3/clean.npz");
  EXPECT_EQ(run("--source ./run=3/clean.npz --target noise=run=3/clean.npz").code, 0);
}

TEST_F(AssessCommand, HoldsWhereNoGateIsViolated) {
  EXPECT_EQ(run("--source clean.npz --target noise=shifted.npz --fail-if 'accuracy<0.7'").code, 0);
}

TEST_F(AssessCommand, ExplainsMistakesInItsCall) {
  const auto usage = [&](const std::string& arguments) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const std::string pair = "--source clean.npz --target noise=shifted.npz ";
  EXPECT_THAT(usage("--source clean.npz"), HasSubstr("--target"));
  EXPECT_EQ(usage("--source clean.npz --target shifted="),
            "leeway: --target shifted=: expected [[MODEL/]SHIFT=]FILE\n");
  EXPECT_EQ(usage("--source a=clean.npz b=clean.npz --target noise=shifted.npz"),
            "leeway: --target noise=shifted.npz: expected MODEL/SHIFT=FILE, as there are 2 models\n");
  EXPECT_EQ(usage("--source a=clean.npz b=clean.npz --target a/noise=shifted.npz"),
            "leeway: --source clean.npz: no --target for the model \"b\"\n");
  EXPECT_EQ(usage("--source a=clean.npz --target b/noise=shifted.npz"),
            "leeway: --target b/noise=shifted.npz: no --source names the model \"b\"\n");
  EXPECT_EQ(usage("--source a=clean.npz a=shifted.npz --target a/noise=shifted.npz"),
            "leeway: --source a=shifted.npz: model \"a\" has a source already\n");
  EXPECT_EQ(usage(pair + "--target noise=shifted.npz"),
            "leeway: --target noise=shifted.npz: model \"model\" has a target \"noise\" already\n");
  EXPECT_THAT(usage(pair + "--fail-if 'accuracy=1'"), HasSubstr("found the comparison \"=\""));
  EXPECT_EQ(usage(pair + "--rows rows.csv --fail-if 'acuracy<1'"),
            "leeway: gate \"acuracy<1\": expected a key of a result such as accuracy, found acuracy, which "
            "no result has; did you mean accuracy?\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "rows.csv"));
  EXPECT_THAT(usage(pair + "--paired perhaps"), HasSubstr("--paired"));
  EXPECT_THAT(usage(pair + "--images clean.npz"), HasSubstr("--report"));
}

TEST_F(AssessCommand, ExplainsBadInput) {
  const auto input = [&](const std::string& arguments) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 3) << arguments;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(input("--source absent.npz --target a=shifted.npz"), HasSubstr("absent.npz"));
  EXPECT_EQ(input("--source clean.npz --target a=binary.npz"),
            "leeway: binary.npz: expected 3 classes, as in clean.npz, found 2\n");
  EXPECT_EQ(input("--source clean.npz --target a=unlabelled.npz --paired yes"),
            "leeway: unlabelled.npz: expected 300 rows, one for each of clean.npz with which it is said to "
            "be paired, "
            "found 200\n");
  std::vector<double> logits(600, 1);
  logits[7] = std::nan("");
  write_npz(folder_ / "nan.npz", {{"logits", make_array<double>({200, 3}, std::move(logits))}});
  EXPECT_EQ(input("--source clean.npz --target a=nan.npz"),
            "leeway: nan.npz: expected finite logits, found nan at row 2, class 1\n");
}

TEST_F(AssessCommand, CountsImagesAgainstRows) {
  write_npz(folder_ / "x.npz",
            {{"x", make_array<std::uint8_t>({300, 1, 4, 4}, std::vector<std::uint8_t>(4800, 9))}});
  write_npz(folder_ / "few.npz",
            {{"x", make_array<std::uint8_t>({2, 1, 4, 4}, std::vector<std::uint8_t>(32, 9))}});
  const std::string start = "--source clean.npz --target noise=shifted.npz --report r.html --images ";
  const Outcome shown = run(start + "x.npz noise=x.npz");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("25% of images"));
  EXPECT_EQ(run(start + "few.npz").code, 3);
  EXPECT_THAT(run(start + "few.npz").err,
              HasSubstr("few.npz: expected 300 images, one for each row of clean.npz, found 2"));
  EXPECT_EQ(run(start + "blur=x.npz").code, 2);
}

// Two published models on the same 534 pictures of birds, with the background as a group.
TEST_F(AssessCommand, FindsTheWorstGroupOfWaterbirds) {
  const std::filesystem::path birds = std::filesystem::path(LEEWAY_SHARED_DATA) / "waterbirds";
  const std::string names[] = {"resnet_waterbirds_avg_results.csv", "jtt_waterbirds_avg_results.csv"};
  if (!std::filesystem::exists(birds / names[0])) GTEST_SKIP() << "the Waterbirds outputs are not here";
  const std::string erm = (birds / names[0]).string(), jtt = (birds / names[1]).string();
  const Outcome outcome = run("--source '" + erm + "' --target jtt='" + jtt + "' --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;

  const CsvTable table = read_csv(jtt);
  const auto column = [&](const char* name) { return table.columns[*table.find(name)]; };
  const auto label = column("y_true"), place = column("attr_true"), predicted = column("y_pred");
  std::map<std::string, std::pair<int, int>> groups;  // right, all
  for (std::size_t i = 0; i < table.rows(); ++i) {
    auto& [right, all] = groups["class " + label[i] + " / " + place[i]];
    right += predicted[i] == label[i];
    ++all;
  }
  std::string worst;
  double lowest = 2;
  for (const auto& [name, counts] : groups)
    if (const double accuracy = static_cast<double>(counts.first) / counts.second; accuracy < lowest) {
      lowest = accuracy;
      worst = name;
    }
  const Json result = Json::parse(outcome.out)["results"][0];
  EXPECT_EQ(result["n"], 534);
  EXPECT_EQ(result["paired"], true);
  EXPECT_EQ(result["worst_group"]["name"], worst);
  EXPECT_DOUBLE_EQ(result["worst_group"]["accuracy"].get<double>(), lowest);
  EXPECT_EQ(result["worst_group"]["n"], groups[worst].second);
}

}  // namespace
}  // namespace leeway
