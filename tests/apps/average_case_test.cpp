// leeway average-case on files made elsewhere: table, record, per-sample file, refusals. With a model: tests/nn.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
  EXPECT_EQ(record.at("schema"), "leeway.average-case/1");
  ASSERT_EQ(record.at("results").size(), 9);  // taylor, taylor-mvs, softmax at three sigmas
  const Json& first = record["results"][0];
  for (const char* const key :
       {"method", "sigma", "mean", "low", "high", "n", "quantiles", "probability", "seconds"})
    EXPECT_TRUE(first.contains(key)) << key;
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
  EXPECT_THAT(table.out, HasSubstr("taylor"));
  EXPECT_THAT(table.out, HasSubstr(fmt::format("{:.4f}", (p[2] + p[5]) / 2)));
}

TEST_F(AverageCaseCommand, RefusesInOneLine) {
  EXPECT_THAT(refusal("--sigma 1", 2), HasSubstr("--model and --data, or --logits"));
  EXPECT_THAT(refusal("--logits f.npy --sigma 1 --methods taylor", 3),
              HasSubstr("a Jacobian or Gram matrices"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma 1 --methods mc", 3), HasSubstr("a model"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma nan", 2), HasSubstr("sigma"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma -1", 2), HasSubstr("sigma"));
  EXPECT_THAT(refusal("--logits j.npy --jacobian j.npy --sigma 1", 3), HasSubstr("logits (n,k)"));
  EXPECT_THAT(refusal("--logits f.npy --jacobian g.npy --gram g.npy --sigma 1", 2), HasSubstr("excludes"));
  EXPECT_THAT(refusal("--logits f.npy --gram g.npy --sigma 1 --noise-covariance y.npy", 2),
              HasSubstr("--jacobian"));
  write_npy(folder_ / "c.npy", make_array<double>({2, 2}, {1, 2, 2, 1}));
  EXPECT_THAT(refusal("--logits f.npy --jacobian j.npy --sigma 1 --noise-covariance c.npy", 3),
              HasSubstr("positive semi-definite"));
  EXPECT_THAT(refusal("--logits absent.npy --jacobian j.npy --sigma 1", 3), HasSubstr("absent.npy"));
}

}  // namespace
}  // namespace leeway
