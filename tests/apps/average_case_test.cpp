// leeway average-case on files made elsewhere: table, record, per-sample file, refusals. With a model: tests/nn.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;

// Two samples, three classes, two inputs: f = W x, W = (1 0; 0 1; -1 0). Sample 0 at (1, 0), sample 1 at (0, .5).
class AverageCaseCommand : public CommandTest {
 protected:
  AverageCaseCommand() {
    write_npy(folder_ / "f.npy", make_array<double>({2, 3}, {1, 0, -1, 0, .5, 0}));
    write_npy(folder_ / "j.npy", make_array<double>({2, 3, 2}, {1, 0, 0, 1, -1, 0, 1, 0, 0, 1, -1, 0}));
    write_npy(folder_ / "g.npy",
              make_array<double>({2, 3, 3}, {1, 0, -1, 0, 1, 0, -1, 0, 1, 1, 0, -1, 0, 1, 0, -1, 0, 1}));
    write_npy(folder_ / "y.npy", make_array<std::int64_t>({2}, {0, 1}));
  }

  [[nodiscard]] std::string refusal(const std::string& arguments, int code) const {
    const Outcome said = run("average-case " + arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    return said.err;
  }
};

TEST_F(AverageCaseCommand, RecordTableAndFile) {
  const Outcome said =
      run("average-case --logits f.npy --jacobian j.npy --sigma 0,0.5,1 --labels y.npy --json --out p.npz");
  ASSERT_EQ(said.code, 0) << said.err;
  const Json record = Json::parse(said.out);
  EXPECT_EQ(record.at("schema"), "leeway.average-case/2");
  ASSERT_EQ(record.at("results").size(), 9);  // taylor, taylor-mvs, softmax at three sigmas
  const Json& first = record["results"][0];
  for (const char* const key :
       {"method", "sigma", "mean", "mean_low", "mean_high", "n", "quantiles", "probability", "seconds"})
    EXPECT_TRUE(first.contains(key)) << key;
  EXPECT_EQ(record.at("options").at("sigma"), (Json{0, .5, 1}));
  EXPECT_EQ(record.at("out"), "p.npz");
  EXPECT_TRUE(record.at("model").is_null());
  EXPECT_EQ(first.at("method"), "taylor");
  EXPECT_EQ(first.at("mean"), 1);  // sigma 0
  EXPECT_EQ(record.at("classes_are"), "labels");
  EXPECT_EQ(record.at("class_bias").size(), 3);
  EXPECT_EQ(record.at("ranking").size(), 3);

  const ArrayMap arrays = read_npz(folder_ / "p.npz");
  for (const char* const method : {"taylor", "taylor-mvs", "softmax"})
    EXPECT_EQ(arrays.at(method).shape, (std::vector<std::size_t>{2, 3})) << method;
  // Sample 0 keeps class 0 while x_0 + e_0 > 0 and e_1 < x_0 + e_0: the wedge of half angle 3/8 pi about its axis.
  const auto p = arrays.at("taylor").view<double>();
  EXPECT_GT(p[2], .6);
  EXPECT_LT(p[2], p[1]);
  EXPECT_EQ(arrays.at("targets").view<std::int32_t>()[1], 1);

  const Outcome table = run("average-case --logits f.npy --gram g.npy --sigma 1 --methods taylor");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, ::testing::StartsWith("Under noise of σ = 1 predictions survive with probability "));
  EXPECT_THAT(table.out, HasSubstr("taylor"));
  EXPECT_THAT(table.out, HasSubstr(fmt::format("{:.2f}", 50 * (p[2] + p[5]))));
}

// Twenty copies of each sample; those of the second are "dim".
TEST_F(AverageCaseCommand, GroupsAreCompared) {
  std::vector<double> logits, jacobian;
  std::string groups = "id,light,one\n";
  for (int i = 0; i < 40; ++i) {
    const bool dim = i % 2 == 1;
    logits.insert(logits.end(), {dim ? 0 : 1., dim ? .1 : 0, dim ? 0 : -1.});
    jacobian.insert(jacobian.end(), {1, 0, 0, 1, -1, 0});
    groups += fmt::format("{},{},all\n", i, dim ? "dim" : "lit");
  }
  write_npy(folder_ / "f40.npy", make_array<double>({40, 3}, std::move(logits)));
  write_npy(folder_ / "j40.npy", make_array<double>({40, 3, 2}, std::move(jacobian)));
  std::ofstream(folder_ / "groups.csv") << groups;
  const std::string arguments =
      "average-case --logits f40.npy --jacobian j40.npy --sigma 0.2,0.4 --methods taylor ";
  const Outcome said = run(arguments + "--groups groups.csv --json");
  ASSERT_EQ(said.code, 0) << said.err;
  const Json record = Json::parse(said.out);
  const Json& found = record.at("group_bias");  // a column with one value has nothing to compare
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[1].at("column"), "light");
  EXPECT_EQ(found[1].at("sigma"), .4);
  EXPECT_LT(found[1].at("p_value"), 1e-6);
  ASSERT_EQ(found[1].at("groups").size(), 2);
  EXPECT_EQ(found[1]["groups"][0].at("group"), "dim");
  EXPECT_EQ(found[1]["groups"][0].at("n"), 20);
  EXPECT_LT(found[1]["groups"][0].at("difference"), -.2);
  EXPECT_THAT(record.at("findings").dump(), HasSubstr("Noise hits groups by light unequally"));
  EXPECT_THAT(run(arguments + "--groups groups.csv").out, HasSubstr("light dim survives with"));
  const Json first = Json::parse(run(arguments + "--groups groups.csv --rows 10 --json").out);
  EXPECT_EQ(first.at("group_bias")[0].at("groups")[0].at("n"), 5);

  std::ofstream(folder_ / "short.csv") << "light\ndim\nlit\n";
  EXPECT_THAT(refusal(arguments.substr(arguments.find(' ')) + "--groups short.csv", 3),
              HasSubstr("shape (40) or (40, g)"));
}

// Logits and gradients times 1e-200 are the same decision.
TEST_F(AverageCaseCommand, TinyGradientsAreNoCertainty) {
  const auto scaled = [&](const char* from, const char* to) {
    const Array array = read_npy(folder_ / from);
    std::vector<double> values(array.view<double>().begin(), array.view<double>().end());
    for (double& value : values) value *= 1e-200;
    write_npy(folder_ / to, make_array<double>(array.shape, values));
  };
  scaled("f.npy", "f0.npy"), scaled("j.npy", "j0.npy");
  const std::string rest = " --sigma 1 --methods taylor --json";
  const Json plain = Json::parse(run("average-case --logits f.npy --jacobian j.npy" + rest).out);
  const Json tiny = Json::parse(run("average-case --logits f0.npy --jacobian j0.npy" + rest).out);
  EXPECT_NEAR(tiny.at("results")[0].at("mean").get<double>(), plain.at("results")[0].at("mean").get<double>(),
              1e-9);
}

TEST_F(AverageCaseCommand, RecordsSayWhichCopies) {
  const std::string rest = "average-case --logits f.npy --jacobian j.npy --sigma 1 --methods taylor --json";
  EXPECT_EQ(Json::parse(run(rest).out).at("options").at("copies_as_published"), false);
  EXPECT_EQ(Json::parse(run(rest + " --copies-as-published").out).at("options").at("copies_as_published"),
            true);
}

TEST_F(AverageCaseCommand, RowsAreTheFirstOnesOfFilesToo) {
  const std::string rest =
      "average-case --logits f.npy --jacobian j.npy --sigma 1 --labels y1.npy --rows 1 --json";
  write_npy(folder_ / "y1.npy", make_array<std::int64_t>({1}, {0}));
  const Outcome said = run(rest);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(Json::parse(said.out).at("n"), 1);
}

TEST_F(AverageCaseCommand, ListsStandInAConfigFile) {
  std::ofstream(folder_ / "c.toml")
      << "[average-case]\nsigma = [0.5, 1]\nmethods = [\"softmax\", \"taylor\"]\n";
  const Outcome said = run("average-case --logits f.npy --jacobian j.npy --config c.toml --json");
  ASSERT_EQ(said.code, 0) << said.err;
  const Json options = Json::parse(said.out).at("options");
  EXPECT_EQ(options.at("sigma"), (Json{.5, 1}));
  EXPECT_EQ(options.at("methods"), (Json{"softmax", "taylor"}));
}

TEST_F(AverageCaseCommand, RefusesInOneLine) {
  EXPECT_THAT(refusal("--sigma 1", 2), HasSubstr("--model and --data, or --logits"));
  EXPECT_THAT(refusal("--logits f.npy --sigma 1 --methods taylor", 3),
              HasSubstr("a Jacobian or Gram matrices"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma 1 --methods mc", 3), HasSubstr("a model"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma nan", 2), HasSubstr("sigma"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma -1", 2), HasSubstr("sigma"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy", 2), HasSubstr("--sigma"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma 1 --methods taylor,magic", 2),
              HasSubstr("magic"));
  EXPECT_THAT(refusal("--logits j.npy --jacobian j.npy --sigma 1", 3), HasSubstr("logits (n,k)"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian g.npy --gram g.npy --sigma 1", 2), HasSubstr("excludes"));
  EXPECT_THAT(refusal("--logits f.npy --gram g.npy --sigma 1 --noise-covariance y.npy", 2),
              HasSubstr("--jacobian"));
  write_npy(folder_ / "c.npy", make_array<double>({2, 2}, {1, 2, 2, 1}));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma 1 --noise-covariance c.npy", 3),
              HasSubstr("positive semi-definite"));
  write_npy(folder_ / "empty.npy", make_array<double>({2, 3, 0}, {}));
  EXPECT_THAT(refusal("--logits f.npy --jacobian empty.npy --sigma 1", 3), HasSubstr("d at least 1"));
  EXPECT_THAT(refusal("--logits absent.npy --jacobian j.npy --sigma 1", 3), HasSubstr("absent.npy"));
}

// Sample 1 has no gradient: it counts as surviving, which the first line says.
TEST_F(AverageCaseCommand, SamplesWithoutGradientsAreAWarningOnTheFirstLine) {
  write_npy(folder_ / "z.npy", make_array<double>({2, 3, 2}, {1, 0, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0}));
  const std::string arguments =
      "average-case --logits f.npy --jacobian z.npy --sigma 1 --methods taylor,softmax";
  const Outcome table = run(arguments);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, ::testing::StartsWith("warning: the gradient of 50.0% of 2 samples is exactly 0"));
  EXPECT_THAT(table.out, HasSubstr(": taylor takes them as surviving any noise"));
  EXPECT_EQ(table.err, "");
  const Outcome json = run(arguments + " --json");
  EXPECT_EQ(std::count(json.err.begin(), json.err.end(), '\n'), 1) << json.err;
  const Json record = Json::parse(json.out);
  EXPECT_EQ(record.at("warnings").size(), 1U);
  EXPECT_EQ(record.at("results").at(0).at("zero_gradient"), .5);
  EXPECT_TRUE(record.at("results").at(1).at("zero_gradient").is_null());
  const Outcome sound = run("average-case --logits f.npy --jacobian j.npy --sigma 1 --methods taylor --json");
  EXPECT_TRUE(Json::parse(sound.out).at("warnings").empty());
}

}  // namespace
}  // namespace leeway
