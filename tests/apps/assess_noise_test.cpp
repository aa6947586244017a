// leeway assess --jacobian: predictions under noise, and wrong calls. With a model: tests/nn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;

// 40 rows of f = W x + b, W = (1 0; 0 1; -1 0), b = (0, 1, 0); class 1 is ahead by 1 everywhere but in row 0, where
// class 0 is ahead by .1.
class AssessNoise : public CommandTest {
 protected:
  AssessNoise() {
    std::vector<double> logits, jacobian;
    for (std::size_t i = 0; i < rows; ++i) {
      logits.insert(logits.end(), {i == 0 ? 1.1 : 0, 1., 0.});
      jacobian.insert(jacobian.end(), {1, 0, 0, 1, -1, 0});
    }
    std::vector<std::int64_t> labels(rows, 1);
    const Array f = make_array<double>({rows, 3}, logits);
    write_npz(folder_ / "s.npz", {{"logits", f},
                                  {"labels", make_array<std::int64_t>({rows}, labels)},
                                  {"class_names", make_text_array({3}, {"ash", "oak", "elm"})}});
    write_npz(folder_ / "probs.npz",
              {{"probs", make_array<double>({rows, 3}, std::vector<double>(3 * rows, 1. / 3))}});
    write_npy(folder_ / "j.npy", make_array<double>({rows, 3, 2}, jacobian));
    jacobian.resize(6 * 30);
    write_npy(folder_ / "few.npy", make_array<double>({30, 3, 2}, jacobian));
    write_npz(folder_ / "x.npz",
              {{"x", make_array<std::uint8_t>({rows, 1, 2, 2}, std::vector<std::uint8_t>(4 * rows, 9))}});
  }

  [[nodiscard]] std::string refusal(const std::string& arguments, int code) const {
    const Outcome said = run("assess --no-bounds " + arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    return said.err;
  }

  static constexpr std::size_t rows = 40;
  const std::string one = "--source s.npz --target t=s.npz ";
  const std::string two = "--source a=s.npz b=s.npz --target a/t=s.npz b/t=s.npz ";
};

TEST_F(AssessNoise, OfJacobiansIsInTheRecordTheTableAndThePage) {
  const Outcome said = run("assess --no-bounds " + one +
                           "--jacobian j.npy --sigma 0,0.5 --images x.npz --out r.json --report r.html");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("40  taylor      0"));
  EXPECT_THAT(said.out, HasSubstr("oak: "));
  const Json noise = read_record((folder_ / "r.json").string()).at("average_case").at(0);
  EXPECT_EQ(noise.at("from"), "jacobian");
  EXPECT_EQ(noise.at("file"), "j.npy");
  EXPECT_TRUE(noise.at("disagreement").is_null());
  ASSERT_EQ(noise.at("results").size(), 4u);  // taylor and softmax at two sigmas
  EXPECT_EQ(noise["results"][0].at("mean"), 1);
  EXPECT_EQ(noise.at("class_bias").at(0).at("classes").at(1).at("name"), "oak");
  // Row 0 is the one that noise moves first: called ash, of class oak.
  const Json& least = noise.at("ranking").at(1).at("classes").at(0);
  EXPECT_EQ(least.at("name"), "oak");
  EXPECT_EQ(least.at("least").at(0).at("row"), 0);
  EXPECT_EQ(least.at("least").at(0).at("prediction"), 0);

  EXPECT_THAT(read_text(folder_ / "r.html"), HasSubstr("<section id=\"noise-1\""));
  ASSERT_EQ(run("report r.json --images x.npz --out again.html").code, 0);
  EXPECT_EQ(read_text(folder_ / "r.html"), read_text(folder_ / "again.html"));
}

TEST_F(AssessNoise, IsThatOfLeewayAverageCase) {
  const Outcome alone = run("average-case --logits s.npz --jacobian j.npy --sigma 0.5 --json");
  ASSERT_EQ(alone.code, 0) << alone.err;
  const Outcome assessed = run("assess --no-bounds " + one + "--jacobian j.npy --sigma 0.5 --json");
  ASSERT_EQ(assessed.code, 0) << assessed.err;
  const Json own = Json::parse(alone.out), noise = Json::parse(assessed.out).at("average_case").at(0);
  EXPECT_EQ(own.at("results").at(0).at("mean"), noise.at("results").at(0).at("mean"));
  // names and labels of the outputs file
  const Json& mine = own.at("class_bias").at(0).at("classes").at(1);
  const Json& theirs = noise.at("class_bias").at(0).at("classes").at(1);
  for (const char* key : {"class", "name", "n", "mean"}) EXPECT_EQ(mine.at(key), theirs.at(key)) << key;
  EXPECT_EQ(own.at("ranking"), noise.at("ranking"));
}

TEST_F(AssessNoise, OfSeveralModelsAndTheFirstRows) {
  const Outcome said =
      run("assess --no-bounds " + two + "--jacobian b=j.npy a=j.npy --sigma 1 --survival-rows 10 --json");
  ASSERT_EQ(said.code, 0) << said.err;
  const Json list = Json::parse(said.out).at("average_case");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].at("model"), "b");
  EXPECT_EQ(list[1].at("n"), 10);
  EXPECT_EQ(list[1].at("source_n"), 40);
  EXPECT_EQ(list[0].at("results").at(0).at("mean"), list[1].at("results").at(0).at("mean"));
}

TEST_F(AssessNoise, OfAThousandRowsUnlessToldOtherwise) {
  std::vector<double> logits(2400, 0), jacobian(2400, 0);
  for (std::size_t i = 0; i < 1200; ++i) logits[2 * i] = .001 * static_cast<double>(i), jacobian[2 * i] = 1;
  write_npy(folder_ / "many.npy", make_array<double>({1200, 2}, logits));
  write_npy(folder_ / "many_j.npy", make_array<double>({1200, 2, 1}, jacobian));
  const std::string line =
      "assess --no-bounds --source many.npy --target t=many.npy --jacobian many_j.npy --sigma 1 ";
  const Outcome some = run(line + "--json"), table = run(line), all = run(line + "--survival-rows 0 --json");
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(Json::parse(some.out).at("average_case").at(0).at("n"), 1000);
  EXPECT_THAT(table.out, HasSubstr("1000 of 1200  taylor"));
  EXPECT_EQ(Json::parse(all.out).at("average_case").at(0).at("n"), 1200);
}

TEST_F(AssessNoise, EmptyWithoutModels) {
  const Outcome said = run("assess --no-bounds " + one + "--json");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(Json::parse(said.out).at("average_case"), Json::array());
}

TEST_F(AssessNoise, ExplainsMistakesInItsCall) {
  const std::string missing_sigma =
      "expected --sigma beside it, the standard deviations of the noise, as in --sigma 0.05,0.1\n";
  EXPECT_EQ(refusal(one + "--jacobian j.npy", 2), "leeway: --jacobian j.npy: " + missing_sigma);
  EXPECT_EQ(refusal(one + "--model m.pt --images x.npz", 2), "leeway: --model m.pt: " + missing_sigma);
  EXPECT_EQ(refusal(one + "--sigma 1", 2),
            "leeway: --sigma: expected --model or --jacobian beside it, for predictions under noise\n");
  for (const std::string images : {"", "--images t=x.npz"})
    EXPECT_EQ(refusal(one + "--model m.pt --sigma 1 " + images, 2),
              "leeway: --model m.pt: expected --images FILE beside it, the source's images\n");
  EXPECT_EQ(refusal(one + "--images x.npz", 2), "leeway: --images: expected --report or --model beside it\n");
  EXPECT_EQ(refusal(two + "--jacobian j.npy --sigma 1", 2),
            "leeway: --jacobian j.npy: expected MODEL=FILE, as there are 2 models\n");
  EXPECT_EQ(refusal(two + "--jacobian c=j.npy --sigma 1", 2),
            "leeway: --jacobian c=j.npy: no --source names the model \"c\"\n");
  EXPECT_EQ(refusal(two + "--jacobian a=j.npy a=j.npy --sigma 1", 2),
            "leeway: --jacobian a=j.npy: model \"a\" has a --jacobian already\n");
  EXPECT_EQ(refusal(one + "--jacobian j.npy --model m.pt --images x.npz --sigma 1", 2),
            "leeway: --jacobian j.npy: model \"model\" has a --model already\n");
  EXPECT_EQ(refusal(one + "--jacobian model= --sigma 1", 2),
            "leeway: --jacobian model=: expected [MODEL=]FILE\n");
  EXPECT_THAT(refusal(one + "--jacobian j.npy --sigma nan", 2), HasSubstr("--sigma"));
}

TEST_F(AssessNoise, ExplainsBadInput) {
  EXPECT_EQ(refusal(one + "--jacobian few.npy --sigma 1", 3),
            "leeway: few.npy: expected a Jacobian of shape (40, 3, d), as s.npz has 40 rows and 3 classes, "
            "found (30, 3, 2)\n");
  EXPECT_EQ(refusal("--source probs.npz --target t=s.npz --jacobian j.npy --sigma 1", 3),
            "leeway: probs.npz: expected logits, of which j.npy is the Jacobian, found probabilities\n");
  EXPECT_THAT(refusal(one + "--jacobian absent.npy --sigma 1", 3), HasSubstr("absent.npy"));
}

}  // namespace
}  // namespace leeway
