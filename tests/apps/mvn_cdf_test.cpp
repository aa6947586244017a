// leeway mvn-cdf, from files to table and record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "leeway/core/npy.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MvnCdfCommand : public CommandTest {
 protected:
  MvnCdfCommand() {
    write_npy(folder_ / "z.npy",
              make_array<double>({2, 3}, {0, 0, 0, 1, 2, std::numeric_limits<double>::infinity()}));
    write_npy(folder_ / "r.npy", make_array<double>({3, 3}, {1, .5, .2, .5, 1, -.3, .2, -.3, 1}));
  }

  [[nodiscard]] std::string refusal(const std::string& arguments, int code) const {
    const Outcome said = run("mvn-cdf " + arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    return said.err;
  }
};

TEST_F(MvnCdfCommand, RecordHoldsEveryPromisedKey) {
  const Outcome said = run("mvn-cdf --upper z.npy --covariance r.npy --json --out record.json");
  ASSERT_EQ(said.code, 0) << said.err;
  const Json record = Json::parse(said.out);
  EXPECT_EQ(record, Json::parse(read_text(folder_ / "record.json")));
  EXPECT_EQ(record.at("schema"), "leeway.mvn-cdf/2");
  EXPECT_EQ(record.at("inputs").size(), 2);
  ASSERT_EQ(record.at("results").size(), 2);
  const Json& orthant = record["results"][0];
  const double p = .125 + (std::asin(.5) + std::asin(.2) + std::asin(-.3)) / (4 * std::numbers::pi);
  EXPECT_NEAR(orthant.at("probability"), p, orthant.at("error").get<double>() + 1e-12);
  EXPECT_NEAR(orthant.at("log_probability"), std::log(p), .01);
  EXPECT_LE(orthant.at("error").get<double>(), 1e-4);
  EXPECT_EQ(orthant.at("converged"), true);
  EXPECT_TRUE(orthant.at("points").is_number_unsigned());
}

TEST_F(MvnCdfCommand, OnePointAndOneMatrixForEach) {
  write_npy(folder_ / "one.npy", make_array<double>({1}, {0}));
  write_npy(folder_ / "variance.npy", make_array<double>({1, 1}, {9}));
  const Json one = Json::parse(run("mvn-cdf --upper one.npy --covariance variance.npy --json").out);
  EXPECT_NEAR(one.at("results")[0].at("probability"), .5, 1e-12);
  write_npy(folder_ / "two.npy", make_array<double>({2, 1}, {0, -1}));
  write_npy(folder_ / "each.npy", make_array<double>({2, 1, 1}, {1, 0}));
  const Json two = Json::parse(run("mvn-cdf --upper two.npy --covariance each.npy --json").out).at("results");
  EXPECT_NEAR(two[0].at("probability"), .5, 1e-12);
  EXPECT_EQ(two[1].at("probability"), 0);  // variance 0, a bound below 0
  EXPECT_EQ(two[1].at("log_probability"), "-inf");
}

TEST_F(MvnCdfCommand, TableSaysWhatDidNotConverge) {
  EXPECT_THAT(run("mvn-cdf --upper z.npy --covariance r.npy").out,
              AllOf(HasSubstr("P(Z <= z) is "), HasSubstr(" at 2 points.\n"), HasSubstr("+- (99%)")));
  const Outcome said = run("mvn-cdf --upper z.npy --covariance r.npy --tolerance 1e-9 --max-points 1024");
  EXPECT_EQ(said.code, 5);
  EXPECT_THAT(said.out, AllOf(HasSubstr("(not converged)"), HasSubstr("1 of 2 not within the tolerance")));
}

TEST_F(MvnCdfCommand, SameSeedSameBits) {
  const std::string arguments = "mvn-cdf --upper z.npy --covariance r.npy --tolerance 1e-3 --json ";
  const auto results = [&](const std::string& more) {
    return Json::parse(run(arguments + more).out).at("results");
  };
  EXPECT_EQ(results("--seed 1 --threads 1"), results("--seed 1 --threads 3"));
  EXPECT_NE(results("--seed 1"), results("--seed 2"));
}

TEST_F(MvnCdfCommand, BadInputIsOneLine) {
  EXPECT_EQ(refusal("--upper r.npy --covariance z.npy", 3),
            "leeway: z.npy: expected shape (3, 3) or (3, 3, 3), found (2, 3)\n");
  EXPECT_THAT(refusal("--upper absent.npy --covariance r.npy", 3), HasSubstr("absent.npy"));
  write_npy(folder_ / "skew.npy", make_array<double>({3, 3}, {1, .5, .2, .4, 1, 0, .2, 0, 1}));
  EXPECT_EQ(refusal("--upper z.npy --covariance skew.npy", 3),
            "leeway: mvn_cdf: covariance: expected a symmetric matrix, given 0.4 at (1, 0) and 0.5 at (0, 1) "
            "(point 0)\n");
  EXPECT_THAT(refusal("--upper z.npy", 2), HasSubstr("--covariance"));
  EXPECT_THAT(refusal("--upper z.npy --covariance r.npy --tolerance 0", 2), HasSubstr("--tolerance"));
}

}  // namespace
}  // namespace leeway
