// leeway pa, from files to table and record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PaCommand : public CommandTest {
 protected:
  // Three pairs with their maximum at beta = log(2 + sqrt 3), where the rows agree by 3/4, 3/4 and 1/3
  // (worked out in tests/agreement/maximum_test.cpp). Predictions: 0 0 0 clean, 0 0 1 shifted.
  PaCommand() {
    write_npy(folder_ / "clean.npy", make_array<double>({3, 2}, {2, 0, 2, 0, 1, 0}));
    write_npy(folder_ / "shifted.npy", make_array<double>({3, 2}, {1.5, .5, 1.5, .5, .5, 1.5}));
    write_npy(folder_ / "half.npy", make_array<float>({3, 2}, {1, 0, 1, 0, .5, 0}));  // agrees with clean
    write_npy(folder_ / "y.npy", make_array<std::int64_t>({3}, {0, 1, 1}));
  }

  [[nodiscard]] Json results(const std::string& arguments) const {
    const Outcome said = run("pa " + arguments + " --json");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    return Json::parse(said.out);
  }

  // n rows of k logits, and the same with noise.
  void write_noisy(std::size_t n, std::size_t k) const {
    Random random(1, stream("pa test"));
    std::vector<float> clean(n * k), shifted(n * k);
    for (std::size_t i = 0; i < n * k; ++i) {
      clean[i] = static_cast<float>(2 * random.normal());
      shifted[i] = clean[i] + static_cast<float>(random.normal());
    }
    write_npy(folder_ / "a.npy", make_array({n, k}, clean));
    write_npy(folder_ / "b.npy", make_array({n, k}, shifted));
  }

  const double beta_ = std::log(2 + std::sqrt(3)), mean_ = (2 * std::log(.75) + std::log(1. / 3)) / 3;
};

TEST_F(PaCommand, RecordHoldsEveryPromisedKey) {
  const Json record = results("clean.npy shifted.npy --labels y.npy --seed 5");
  EXPECT_EQ(record.at("schema"), "leeway.pa/2");
  EXPECT_EQ(record.at("seed"), 5);
  EXPECT_EQ(record.at("version"), version);
  EXPECT_GT(record.at("seconds").get<double>(), 0);
  EXPECT_THAT(record.at("command").dump(), AllOf(HasSubstr("\"pa\""), HasSubstr("\"--labels\"")));
  EXPECT_EQ(record.at("headline"),
            "Between the clean set and shifted.npy, 0.14 of 0.69 posterior agreement is left; 67% of "
            "predictions stay "
            "the same.");
  EXPECT_TRUE(record.at("findings").empty());
  EXPECT_TRUE(record.at("warnings").empty());
  EXPECT_EQ(
      record.at("options").dump(),
      R"({"binary":null,"as":null,"label_column":null,"class_columns":null,"group_columns":null,)"
      R"("id_column":null,"separator":null,"class_names":null,"first_label":null,"labels":"y.npy",)"
      R"("groups":null,"index":null,"split":null,"level":0.95,"bootstrap":0,"pairing":"given","ratios":[],"summaries":false,)"
      R"("shared_beta":false,"curve":0})");
  ASSERT_EQ(record.at("results").size(), 1);
  const Json& r = record["results"][0];
  EXPECT_EQ(r.at("shifted"), "shifted.npy");
  EXPECT_EQ(r.at("n"), 3);
  EXPECT_EQ(r.at("k"), 2);
  EXPECT_NEAR(r.at("beta"), beta_, 1e-6);
  EXPECT_NEAR(r.at("log_pa_mean"), mean_, 1e-9);
  EXPECT_NEAR(r.at("log_pa_sum"), 3 * mean_, 3e-9);
  EXPECT_NEAR(r.at("pa"), std::log(2) + mean_, 1e-9);
  EXPECT_NEAR(r.at("pa_normalized"), 1 + mean_ / std::log(2), 2e-9);
  EXPECT_LE(r.at("gap").get<double>(), 1e-9);
  EXPECT_GE(r.at("gap").get<double>(), 0);
  EXPECT_LE(r.at("pa_low").get<double>(), r["pa"].get<double>());
  EXPECT_GE(r.at("pa_high").get<double>(), r["pa"].get<double>());
  EXPECT_NEAR(r.at("afr_pred"), 2. / 3, 1e-15);
  EXPECT_NEAR(r.at("afr_true"), 2. / 3, 1e-15);  // shifted predictions 0 0 1, labels 0 1 1
  EXPECT_GT(r.at("evaluations").get<int>(), 0);
  EXPECT_LE(r.at("evaluations").get<int>(), 40);
  ASSERT_TRUE(r.at("curve").is_array());
  ASSERT_FALSE(r["curve"].empty());
  for (const Json& point : r["curve"]) EXPECT_TRUE(point.contains("beta") && point.contains("value"));
}

TEST_F(PaCommand, InputsAreDescribedAndDigested) {
  const Json record = results("clean.npy shifted.npy");
  ASSERT_EQ(record.at("inputs").size(), 2);
  const Json& input = record["inputs"][1];
  EXPECT_EQ(input.at("path"), "shifted.npy");
  EXPECT_EQ(input.at("bytes"), std::filesystem::file_size(folder_ / "shifted.npy"));
  EXPECT_EQ(input.at("shape").dump(), "[3,2]");
  EXPECT_EQ(input.at("xxh3_128"), digest_file(folder_ / "shifted.npy"));
  EXPECT_TRUE(results("clean.npy shifted.npy --no-digest")["inputs"][0].at("xxh3_128").is_null());
}

TEST_F(PaCommand, SeveralShiftedSetsAreFittedOneByOne) {
  const Json r = results("clean.npy shifted.npy half.npy clean.npy").at("results");
  ASSERT_EQ(r.size(), 3);
  EXPECT_EQ(r[1].at("shifted"), "half.npy");
  EXPECT_NEAR(r[0].at("beta"), beta_, 1e-6);
  for (const int i : {1, 2}) {
    EXPECT_EQ(r[i].at("beta"), "inf");
    EXPECT_EQ(r[i].at("log_pa_mean"), 0);
    EXPECT_EQ(r[i].at("pa_normalized"), 1);
  }
}

TEST_F(PaCommand, WithoutLabelsThereIsNoTruth) {
  EXPECT_TRUE(results("clean.npy shifted.npy")["results"][0].at("afr_true").is_null());
}

TEST_F(PaCommand, LabelsInAnOutputsFileAreUsed) {
  write_npz(folder_ / "clean.npz", {{"logits", make_array<double>({3, 2}, {2, 0, 2, 0, 1, 0})},
                                    {"y", make_array<std::int64_t>({3}, {0, 0, 1})}});
  EXPECT_EQ(results("clean.npz shifted.npy")["results"][0].at("afr_true"), 1);
}

TEST_F(PaCommand, ProbabilitiesAreTheirLogarithms) {
  const auto softmax = [](double a, double b) { return std::exp(a) / (std::exp(a) + std::exp(b)); };
  const auto save = [&](const char* name, const std::vector<std::pair<int, int>>& logits) {
    std::vector<double> probs;
    for (const auto& [a, b] : logits) probs.insert(probs.end(), {softmax(a, b), softmax(b, a)});
    write_npz(folder_ / name, {{"probs", make_array<double>({3, 2}, probs)}});
  };
  save("clean.npz", {{2, 0}, {2, 0}, {1, 0}});
  save("shifted.npz", {{1, 0}, {1, 0}, {0, 1}});
  const Json r = results("clean.npz shifted.npz")["results"][0];
  EXPECT_NEAR(r.at("log_pa_mean"), mean_, 1e-9);
  EXPECT_NEAR(r.at("beta"), beta_, 1e-6);
}

TEST_F(PaCommand, TableNamesEverySetAndItsNumbers) {
  const Outcome said = run("pa clean.npy shifted.npy half.npy --labels y.npy");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, AllOf(HasSubstr("shifted.npy"), HasSubstr("half.npy"), HasSubstr("inf"),
                              HasSubstr("1.317"), HasSubstr("66.67")));
  EXPECT_THAT(said.out,
              StartsWith("Between the clean set and shifted.npy, 0.14 of 0.69 posterior agreement"));
  EXPECT_THAT(said.out, HasSubstr("0.1352"));  // log 2 + (2 log 3/4 + log 1/3) / 3
  std::size_t longest = 0;
  for (std::size_t begin = 0, end; (end = said.out.find('\n', begin)) != std::string::npos; begin = end + 1)
    longest = std::max(longest, end - begin);
  EXPECT_LE(longest, 100);
}

TEST_F(PaCommand, OutWritesTheRecord) {
  const Outcome said = run("pa clean.npy shifted.npy --out r.json");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("shifted.npy"));  // still the table
  const Json record = read_record((folder_ / "r.json").string());
  EXPECT_NEAR(record.at("results")[0].at("beta"), beta_, 1e-6);
}

TEST_F(PaCommand, ThreadsChangeNothing) {
  write_noisy(6001, 10);
  const auto bytes = [&](const std::string& threads) {
    return results("a.npy b.npy --bootstrap 6 --curve 9 --threads " + threads).at("results").dump();
  };
  const std::string one = bytes("1");
  EXPECT_EQ(one, bytes("2"));
  EXPECT_EQ(one, bytes("7"));
}

TEST_F(PaCommand, BootstrapDependsOnTheSeed) {
  write_noisy(200, 4);
  const auto low = [&](const std::string& flags) {
    return results("a.npy b.npy " + flags)["results"][0].at("pa_low").get<double>();
  };
  const double first = low("--bootstrap 40 --seed 1");
  EXPECT_EQ(first, low("--bootstrap 40 --seed 1"));
  EXPECT_NE(first, low("--bootstrap 40 --seed 2"));
  EXPECT_NEAR(first, low(""), .1);  // the delta method's
}

TEST_F(PaCommand, LevelWidensTheInterval) {
  const auto ends = [&](const std::string& flags) {
    const Json r = results("a.npy b.npy " + flags)["results"][0];
    return std::pair(r.at("pa_low").get<double>(), r.at("pa_high").get<double>());
  };
  write_noisy(200, 4);
  const auto [low, high] = ends("");
  const auto [inner_low, inner_high] = ends("--level .5");
  EXPECT_LT(low, inner_low);
  EXPECT_LT(inner_low, inner_high);
  EXPECT_LT(inner_high, high);
  // Of many rows the interval is that of a normal distribution, whose quantiles at .975 and .75 these are.
  write_noisy(40'000, 4);
  const auto width = [](std::pair<double, double> both) { return both.second - both.first; };
  EXPECT_NEAR(width(ends("")) / width(ends("--level .5")), 1.959963984540054 / .6744897501960817, 1e-6);
}

TEST_F(PaCommand, HelpExplains) {
  for (const std::string flag : {"-h", "--help"}) {
    const Outcome said = run("pa " + flag);
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, AllOf(HasSubstr("--labels"), HasSubstr("--bootstrap"), HasSubstr("--json"),
                                HasSubstr("log k")));
  }
}

TEST_F(PaCommand, MisuseExitsWithTwo) {
  for (const std::string arguments :
       {"", "clean.npy", "clean.npy shifted.npy --no-such-flag", "clean.npy shifted.npy --bootstrap many",
        "clean.npy shifted.npy --level 2"}) {
    const Outcome said = run("pa " + arguments);
    EXPECT_EQ(said.code, 2) << arguments;
    EXPECT_EQ(said.out, "") << arguments;
    EXPECT_NE(said.err, "") << arguments;
  }
}

struct BadInput {
  std::string arguments;
  std::vector<std::string> parts;  // of the message
};

TEST_F(PaCommand, BadInputExitsWithThreeAndOneLine) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  write_npy(folder_ / "longer.npy", make_array<double>({4, 2}, {1, 0, 1, 0, 0, 1, 1, 1}));
  write_npy(folder_ / "wider.npy", make_array<double>({3, 3}, {1, 0, 1, 0, 0, 1, 1, 1, 1}));
  write_npy(folder_ / "nan.npy", make_array<double>({3, 2}, {1, 0, 1, nan, 0, 1}));
  write_npy(folder_ / "vector.npy", make_array<double>({3}, {1, 0, 1}));
  write_npy(folder_ / "y2.npy", make_array<std::int64_t>({3}, {0, 1, 2}));
  const std::vector<BadInput> inputs = {
      {"missing.npy shifted.npy", {"missing.npy"}},
      {"clean.npy missing.npy", {"missing.npy"}},
      {"clean.npy .", {"."}},
      {"clean.npy longer.npy", {"longer.npy", "(3, 2)", "(4, 2)"}},
      {"clean.npy shifted.npy wider.npy", {"wider.npy", "2 classes", "found 3"}},
      {"clean.npy nan.npy", {"nan.npy", "row 1", "class 1", "nan"}},
      {"nan.npy clean.npy", {"nan.npy", "row 1", "class 1"}},
      {"vector.npy vector.npy", {"vector.npy", "--binary"}},
      {"clean.npy shifted.npy --labels y2.npy", {"y2.npy", "2"}},
      {"clean.npy shifted.npy --labels missing.npy", {"missing.npy"}},
  };
  for (const auto& [arguments, parts] : inputs)
    for (const std::string flag : {"", " --json"}) {
      const Outcome said = run("pa " + arguments + flag);
      EXPECT_EQ(said.code, 3) << arguments;
      EXPECT_EQ(said.out, "") << arguments;
      EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
      for (const std::string& part : parts) EXPECT_THAT(said.err, HasSubstr(part));
    }
}

TEST_F(PaCommand, VectorsAreBinaryOutputsOnRequest) {
  write_npy(folder_ / "v.npy", make_array<double>({3}, {-2, -2, -1}));
  write_npy(folder_ / "w.npy", make_array<double>({3}, {-1, -1, 1}));
  const Json r =
      results("v.npy w.npy --binary logit")["results"][0];  // (0, v): clean and shifted of the other tests
  EXPECT_EQ(r.at("k"), 2);
  EXPECT_NEAR(r.at("log_pa_mean"), mean_, 1e-9);
}

TEST_F(PaCommand, RatiosShiftTheSmallestNormsFirst) {
  const double inf = std::numeric_limits<double>::infinity();
  write_npz(folder_ / "moved.npz", {{"logits", make_array<double>({3, 2}, {1.5, .5, 1.5, .5, .5, 1.5})},
                                    {"norms", make_array<double>({3}, {inf, .5, .25})}});
  const Json ratios =
      results("clean.npy moved.npz --labels y.npy --ratios 0:1:0.3333333")["results"][0].at("ratios");
  ASSERT_EQ(ratios.size(), 4);
  EXPECT_EQ(ratios[0].at("pa"), std::log(2));
  EXPECT_EQ(ratios[0].at("beta"), "inf");
  EXPECT_EQ(ratios[1].at("shifted"), 1);
  EXPECT_EQ(ratios[1].at("afr_pred"), 2. / 3);  // the last row, which turns, goes first
  EXPECT_NEAR(ratios[3].at("pa"), mean_ + std::log(2), 1e-9);
  const Outcome said = run("pa clean.npy shifted.npy --ratios 0,1");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("no norms"));
  EXPECT_THAT(said.out, HasSubstr("smallest norms first"));
  for (const std::string bad : {"0:1:x", "0:2:1", "1:0:.1", "0:1", "0:1:0", "-1", "x", ","})
    EXPECT_EQ(run("pa clean.npy shifted.npy --ratios=" + bad).code, 2) << bad;
  EXPECT_EQ(results("clean.npy moved.npz --ratios 0,.5")["options"].at("ratios").dump(), "[0.0,0.5]");
}

// What the command warns of on stderr stands in the record, too.
TEST_F(PaCommand, WarningsAreKept) {
  const Outcome said = run("pa clean.npy shifted.npy --ratios 0,1 --json");
  const std::string line = "shifted.npy: no norms: its rows are shifted in their order";
  EXPECT_EQ(said.err, "leeway: " + line + "\n");
  EXPECT_EQ(Json::parse(said.out).at("warnings"), Json{line});
}

TEST_F(PaCommand, ARecordOfAnEarlierVersionIsToBeComputedAgain) {
  testing::write_bytes(folder_ / "old.json", R"({"schema": "leeway.pa/1", "results": []})");
  const Outcome said = run("report old.json");
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(
      said.err,
      "leeway: old.json: expected a record of schema leeway.pa/2, found 'leeway.pa/1', written by an earlier "
      "version: run the command again\n");
}

TEST_F(PaCommand, DecompositionAddsUpToTheSum) {
  const Json r = results("clean.npy shifted.npy --labels y.npy")["results"][0];
  const Json& parts = r.at("decomposition");
  EXPECT_EQ(parts.at("err").at("n"), 1);
  EXPECT_EQ(parts.at("mis").at("n"), 1);
  EXPECT_EQ(parts.at("adv").at("n"), 0);
  EXPECT_EQ(parts.at("rest").at("n"), 1);
  EXPECT_NEAR(parts.at("err").at("sum"), std::log(.75), 1e-6);
  EXPECT_NEAR(parts.at("rest").at("sum"), std::log(1. / 3), 1e-6);
  double sum = 0;
  for (const Json& part : parts) sum += part.at("sum").get<double>();
  EXPECT_NEAR(sum, r.at("log_pa_sum"), 1e-9);
  EXPECT_TRUE(results("clean.npy shifted.npy")["results"][0].at("decomposition").is_null());
}

// The shifted set in another order, and one sample short: pairing finds the rows again.
TEST_F(PaCommand, PairingFindsTheRowsAgain) {
  const auto features = make_array<double>({3, 1}, {0, 10, 20});
  write_npz(folder_ / "c.npz", {{"logits", make_array<double>({3, 2}, {2, 0, 2, 0, 1, 0})},
                                {"features", features},
                                {"labels", make_array<std::int64_t>({3}, {0, 0, 1})}});
  write_npz(folder_ / "s.npz", {{"logits", make_array<double>({2, 2}, {.5, 1.5, 1.5, .5})},
                                {"features", make_array<double>({2, 1}, {19, 11})},
                                {"labels", make_array<std::int64_t>({2}, {1, 0})}});
  write_npy(folder_ / "c2.npy", make_array<double>({2, 2}, {1, 0, 2, 0}));
  write_npy(folder_ / "s2.npy", make_array<double>({2, 2}, {.5, 1.5, 1.5, .5}));
  const Json expected = results("c2.npy s2.npy")["results"][0];
  const Json nearest = results("c.npz s.npz --pairing nearest --save-pairs p.csv")["results"][0];
  EXPECT_EQ(nearest.at("pa"), expected.at("pa"));
  EXPECT_EQ(nearest.at("afr_true"), 1);
  EXPECT_EQ(testing::read_bytes(folder_ / "p.csv"), "clean,shifted\n2,0\n1,1\n");
  EXPECT_EQ(results("c.npz s.npz --pairs p.csv")["results"][0].at("pa"), expected.at("pa"));
  EXPECT_EQ(results("c.npz s.npz --pairing label")["results"][0].at("n"), 2);
  EXPECT_EQ(run("pa clean.npy shifted.npy --pairing nearest").code, 3);
  EXPECT_EQ(run("pa clean.npy shifted.npy --pairs p.csv").code, 0);
  EXPECT_EQ(run("pa c2.npy s2.npy --pairs p.csv").code, 3);
  EXPECT_EQ(run("pa clean.npy shifted.npy --pairing no-such").code, 2);
}

// At beta = 1 and at the best beta; over the samples right before the shift, here rows 0 and 2.
TEST_F(PaCommand, SummariesHoldEntropyAndConfidence) {
  write_npy(folder_ / "y2.npy", make_array<std::int64_t>({3}, {0, 1, 0}));
  const Json r = results("clean.npy shifted.npy --labels y2.npy --summaries")["results"][0];
  EXPECT_EQ(r.at("entropy").at("samples"), 2);
  EXPECT_EQ(r.at("entropy").at("over"), "right");
  ASSERT_EQ(r.at("entropy").at("at").size(), 2);
  EXPECT_EQ(r["entropy"]["at"][0].at("beta"), 1);
  EXPECT_EQ(r["entropy"]["at"][1].at("beta"), r.at("beta"));
  const auto p = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto h = [](double q) { return -q * std::log2(q) - (1 - q) * std::log2(1 - q); };
  EXPECT_NEAR(r["entropy"]["at"][0].at("clean"), h((p(2) + p(1)) / 2), 1e-12);
  EXPECT_NEAR(r["entropy"]["at"][0].at("shifted"), h(p(1)), 1e-12);
  EXPECT_NEAR(r["entropy"]["at"][0].at("shifted_plain"), 1, 1e-12);
  EXPECT_EQ(r.at("confidence").at("clean_right").at("n"), 2);
  EXPECT_NEAR(r["confidence"]["clean_right"]["at"][1].at("mean"), (p(2 * beta_) + p(beta_)) / 2, 1e-6);
  EXPECT_EQ(r["confidence"].at("moved").at("n"), 1);
  EXPECT_NEAR(r["confidence"]["moved"]["at"][0].at("mean"), p(1), 1e-12);
  EXPECT_TRUE(r["confidence"]["moved"]["at"][0].at("se").is_null());  // one trial
  const Json bare = results("clean.npy half.npy --summaries")["results"][0];
  EXPECT_EQ(bare["entropy"].at("over"), "all");
  EXPECT_EQ(bare["entropy"]["at"][1].at("beta"), "inf");
  EXPECT_EQ(bare["entropy"]["at"][1].at("clean"), 0);
  EXPECT_TRUE(bare["confidence"].at("clean_right").is_null());
  EXPECT_TRUE(bare["confidence"]["moved"]["at"][0].at("mean").is_null());
  EXPECT_THAT(
      run("pa clean.npy shifted.npy --summaries").out,
      AllOf(HasSubstr("entropy of the posteriors"), HasSubstr("mean confidence"), HasSubstr(" all ")));
  EXPECT_TRUE(results("clean.npy shifted.npy")["results"][0].at("entropy").is_null());
}

// Another model that the same shift leaves as it was; the record and the words say which model is which.
TEST_F(PaCommand, ModelsAreComparedUnderTheSameShift) {
  const Json record =
      results("clean.npy shifted.npy --name cnn --compare robust=clean.npy,half.npy --ratios 0,1 --quiet");
  ASSERT_EQ(record.at("results").size(), 2);
  EXPECT_EQ(record["results"][0].at("model"), "cnn");
  EXPECT_EQ(record["results"][1].at("model"), "robust");
  EXPECT_EQ(record["results"][1].at("shifted"), "half.npy");
  EXPECT_EQ(record["results"][0].at("shift"), "shifted / half");  // what its files are called
  EXPECT_EQ(record["results"][1].at("pa_normalized"), 1);
  ASSERT_EQ(record.at("ar_gap").size(), 1);
  const Json& gap = record["ar_gap"][0];
  EXPECT_EQ(gap.at("shifted"), "shifted.npy");
  EXPECT_EQ(gap.at("shift"), "shifted / half");
  for (const char* name : {"a-half.npy", "a-shifted.npy"}) {
    const std::string plain = std::string(name).substr(2);
    std::filesystem::copy_file(folder_ / plain, folder_ / name);
  }
  const Json named =
      results("clean.npy a-half.npy a-shifted.npy --name a --compare b=clean.npy,half.npy,shifted.npy");
  EXPECT_EQ(named["results"][0].at("shift"), "half");
  EXPECT_EQ(named["results"][3].at("shift"), "shifted");
  EXPECT_EQ(gap.at("model_plus"), "robust");
  EXPECT_EQ(gap.at("model_minus"), "cnn");
  ASSERT_EQ(gap.at("points").size(), 2);
  EXPECT_EQ(gap["points"][1].at("pa"), std::log(2));
  EXPECT_EQ(gap["points"][1].at("ratio_plus"), 1);
  EXPECT_EQ(gap["points"][1].at("ratio_minus"), 0);  // log 2 is where cnn starts
  EXPECT_EQ(gap["points"][1].at("gap"), 1);
  const Outcome said =
      run("pa clean.npy shifted.npy --name cnn --compare robust=clean.npy,half.npy --ratios 0,1");
  EXPECT_THAT(said.out,
              HasSubstr("shifted / half: at 0% shifted samples, cnn is where robust is at 100% (PA 0.6931)"));
  EXPECT_THAT(said.out, HasSubstr("robust: half.npy"));
  EXPECT_EQ(record["results"][1].at("shift"), "shifted / half");
  const Json plain = results("clean.npy shifted.npy --ratios 0,1 --quiet");
  EXPECT_TRUE(plain.at("ar_gap").empty());
  EXPECT_TRUE(plain["results"][0].at("model").is_null());
}

TEST_F(PaCommand, ModelsMayDifferInRowsAndClasses) {
  write_npy(folder_ / "c4.npy", make_array<double>({2, 3}, {4, 0, 0, 0, 1, 0}));
  const Outcome said = run("pa clean.npy shifted.npy --compare b=c4.npy,c4.npy --ratios 0,1 --json");
  EXPECT_EQ(said.code, 0) << said.err;
  const Json record = Json::parse(said.out);
  EXPECT_EQ(record["results"][1].at("k"), 3);
  EXPECT_TRUE(record.at("ar_gap").empty());  // PA is not compared between numbers of classes
  EXPECT_THAT(said.err, HasSubstr("2 and 3 classes"));
  for (const std::string bad :
       {"--compare b=clean.npy,half.npy,half.npy", "--compare b=clean.npy", "--compare b",
        "--compare =clean.npy,half.npy", "--compare b=clean.npy,,half.npy",
        "--compare model=clean.npy,half.npy", "--compare b=clean.npy,half.npy --compare b=clean.npy,half.npy",
        "--compare b=clean.npy,half.npy --save-pairs p.csv"})
    EXPECT_EQ(run("pa clean.npy shifted.npy " + bad).code, 2) << bad;
  EXPECT_EQ(run("pa clean.npy shifted.npy --compare b=clean.npy,missing.npy").code, 3);
}

TEST_F(PaCommand, ASharedBetaIsThatOfTheFirstSet) {
  const Json r = results("clean.npy shifted.npy half.npy --shared-beta").at("results");
  EXPECT_NEAR(r[0].at("beta"), beta_, 1e-6);
  EXPECT_EQ(r[0].at("beta_shared"), false);
  EXPECT_EQ(r[1].at("beta"), r[0].at("beta"));
  EXPECT_EQ(r[1].at("beta_shared"), true);
  EXPECT_TRUE(r[1].at("gap").is_null());
  EXPECT_TRUE(r[1].at("converged").is_null());
  const auto a = [&](double x, double y) {  // log(p'p'' + (1 - p')(1 - p''))
    const double p = 1 / (1 + std::exp(-beta_ * x)), q = 1 / (1 + std::exp(-beta_ * y));
    return std::log(p * q + (1 - p) * (1 - q));
  };
  EXPECT_NEAR(r[1].at("log_pa_mean"), (2 * a(2, 1) + a(1, .5)) / 3, 1e-6);
  EXPECT_THAT(run("pa clean.npy shifted.npy half.npy --shared-beta").out, HasSubstr("=1.317"));
  // Beta is infinite on the first: one pair that moves leaves nothing.
  const Json lost = results("clean.npy half.npy shifted.npy --shared-beta")["results"][1];
  EXPECT_EQ(lost.at("pa"), "-inf");
}

TEST_F(PaCommand, LabelsAndPairsAreInputsToo) {
  testing::write_bytes(folder_ / "p.csv", "clean,shifted\n0,0\n1,1\n");
  const Json inputs = results(
                          "clean.npy shifted.npy half.npy --labels y.npy --pairs p.csv --compare "
                          "b=clean.npy,half.npy,half.npy")
                          .at("inputs");
  std::vector<std::string> paths;
  for (const Json& input : inputs) paths.push_back(input.at("path"));
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre("clean.npy", "y.npy", "shifted.npy", "p.csv", "half.npy",
                                                     "clean.npy", "half.npy", "half.npy"));
}

TEST_F(PaCommand, ResamplingDependsOnTheSeed) {
  write_noisy(200, 4);
  std::vector<std::int64_t> labels(200);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i % 2);
  write_npz(folder_ / "b.npz",
            {{"logits", read_npy(folder_ / "b.npy")}, {"labels", make_array({200}, labels)}});
  write_npz(folder_ / "a.npz",
            {{"logits", read_npy(folder_ / "a.npy")}, {"labels", make_array({200}, labels)}});
  const auto pa = [&](const std::string& seed) {
    return results("a.npz b.npz --pairing label-resample --seed " + seed)["results"][0]
        .at("pa")
        .get<double>();
  };
  EXPECT_EQ(pa("1"), pa("1"));
  EXPECT_NE(pa("1"), pa("2"));
}

TEST_F(PaCommand, QuietIsQuiet) {
  const Outcome said = run("pa clean.npy shifted.npy half.npy --quiet");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
}

}  // namespace
}  // namespace leeway
