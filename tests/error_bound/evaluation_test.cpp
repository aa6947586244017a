#include "leeway/error_bound/evaluation.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::error_bound::evaluation_test {

// Predicted .1 above, right on, .3 below, .2 above.
const std::vector<Shift> four = {{"a", .5, .6}, {"a", .7, .7}, {"b", .8, .5}, {"b", .4, .6}};

TEST(Score, ByHand) {
  const Score s = score(four);
  EXPECT_EQ(s.n, 4u);
  EXPECT_NEAR(s.mae, .15, 1e-15);
  EXPECT_EQ(s.coverage, .5);
  EXPECT_NEAR(*s.overestimation, .15, 1e-15);
  EXPECT_NEAR(s.coverage_interval.low, .0676, 1e-4);  // Clopper-Pearson, 2 of 4
  EXPECT_NEAR(s.coverage_interval.high, .9324, 1e-4);
  EXPECT_FALSE(score(std::vector<Shift>{{"a", .5, .5}}).overestimation);
}

// Learnt on the other data set: of b, a - p is .3 and -.2, the lower half's end -.2, so a is shifted by .2;
// of a it is -.1 and 0: b is shifted by .1. Ratios of b: 1.6, 2/3; of a: 5/6, 1.
TEST(Adjust, ByHand) {
  const std::vector<Shift> shifted = adjust(four, Adjustment::shift, .9),
                           scaled = adjust(four, Adjustment::scale, .9);
  const double by_shift[] = {.4, .5, .4, .5};
  const double by_scale[] = {.6 * 2 / 3, .7 * 2 / 3, .5 * 5 / 6, .6 * 5 / 6};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(shifted[i].predicted, by_shift[i], 1e-12) << i;
    EXPECT_NEAR(scaled[i].predicted, by_scale[i], 1e-8) << i;
    EXPECT_EQ(shifted[i].truth, four[i].truth);
    EXPECT_EQ(shifted[i].data_set, four[i].data_set);
  }
}

TEST(Adjust, NeverLeavesTheRangeOfAccuracies) {
  const std::vector<Shift> shifts = {{"a", 0, 1}, {"b", .5, .2}, {"b", 0, 0}};
  const std::vector<Shift> shifted = adjust(shifts, Adjustment::shift, .9),
                           scaled = adjust(shifts, Adjustment::scale, .9);
  EXPECT_EQ(shifted[1].predicted, 0);
  EXPECT_EQ(scaled[1].predicted, 0);  // 0 / 1, less 1e-8, is no negative scale
  EXPECT_EQ(scaled[0].predicted, 1);  // .5 / .2 and 0 / 0 ask for no scale
}

TEST(Evaluation, RefusesWhatIsNoEvaluation) {
  const auto refusal = [](const std::vector<Shift>& shifts) {
    return message_of([&] { (void)score(shifts); });
  };
  EXPECT_EQ(refusal({}), "evaluation: expected at least 1 shift, found none");
  EXPECT_THAT(refusal({{"a", .5, .5}, {"a", .5, 1.5}}), Says("evaluation: expected ... found 1.5 at row 1"));
  EXPECT_EQ(refusal({{"a", -1, .5}}), "evaluation: expected a truth within 0 to 1, found -1 at row 0");
  EXPECT_REFUSED(adjust(std::span(four).first(2), Adjustment::shift, .9), "adjust: expected at ... found 1");
  EXPECT_REFUSED(adjust(four, Adjustment::shift, 1), "adjust: coverage: expected a number ... found 1");
}

class ShiftTableFile : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    const auto path = folder_ / "table.csv";
    std::ofstream(path) << text;
    return path;
  }
  std::string refusal(const std::string& text, const std::vector<std::string>& methods = {}) const {
    const std::string message = message_of([&] { (void)read_shift_table(write(text), methods); });
    const auto start = message.find("table.csv");
    return start == std::string::npos ? message : message.substr(start);
  }
  TemporaryFolder folder_;
};

TEST_F(ShiftTableFile, MethodsAreTheOtherColumnsOfNumbers) {
  const ShiftTable table = read_shift_table(
      write("dataset,shift,note,trg_acc,ATC,COT\ncifar,1,x,.5,.6,.7\nfmow,2,y,.25,.5,.125\n"));
  EXPECT_EQ(table.n, 2u);
  EXPECT_EQ(table.data_sets, 2u);
  ASSERT_EQ(table.methods.size(), 2u);
  EXPECT_EQ(table.methods[1].method, "COT");
  EXPECT_EQ(table.methods[1].shifts[1].data_set, "fmow");
  EXPECT_EQ(table.methods[1].shifts[1].truth, .25);
  EXPECT_EQ(table.methods[1].shifts[1].predicted, .125);
}

TEST_F(ShiftTableFile, ErrorsBecomeAccuracies) {
  const ShiftTable table = read_shift_table(write("true_error,ac\n.25,.5\n"));
  EXPECT_EQ(table.methods[0].shifts[0].truth, .75);
  EXPECT_EQ(table.methods[0].shifts[0].predicted, .5);
  EXPECT_EQ(table.data_sets, 1u);
}

TEST_F(ShiftTableFile, ColumnsAboutAMethodAreNoMethods) {
  const ShiftTable table = read_shift_table(
      write("error,dis2,validity:dis2,proved:dis2,discrepancy:a\n.1,.5,.9,1,-.1\n.2,.6,.8,0,.3\n"));
  ASSERT_EQ(table.methods.size(), 1u);
  EXPECT_THAT(table.methods[0].validity, ::testing::ElementsAre(.9, .8));
  EXPECT_THAT(table.methods[0].proved, ::testing::ElementsAre(1, 0));
  ASSERT_EQ(table.losses.size(), 1u);
  EXPECT_THAT(table.losses[0].discrepancies, ::testing::ElementsAre(-.1, .3));
  EXPECT_EQ(refusal("error,a,validity:a\n.1,.5,2\n"),
            "table.csv: expected column 'validity:a' within 0 to 1, found 2 at row 0");
}

TEST(CompareLosses, IsStudentsPairedTest) {
  const std::vector<LossShifts> losses{{"a", {.2, .4, .6}}, {"b", {.1, .2, .3}}, {"c", {.1, .3, .5}}};
  const std::vector<LossTest> tests = compare_losses(losses);
  EXPECT_NEAR(tests[0].difference, .2, 1e-12);
  EXPECT_EQ(tests[0].larger, 3u);
  EXPECT_NEAR(*tests[0].p, .0741799, 1e-6);  // .1, .2, .3: t = 2 sqrt(3), 2 degrees of freedom
  EXPECT_NEAR(*tests[0].p_adjusted, 2 * .0741799, 1e-6);
  EXPECT_FALSE(tests[1].p || tests[1].p_adjusted);  // .1 each time
  EXPECT_FALSE(compare_losses(std::vector<LossShifts>{{"a", {.2}}, {"b", {.1}}})[0].interval);
}

TEST_F(ShiftTableFile, RefusalsNameTheColumn) {
  EXPECT_THAT(refusal("a,b\n1,2\n"), ::testing::HasSubstr("found none among a, b"));
  EXPECT_THAT(refusal("truth,error,a\n1,1,2\n"), ::testing::HasSubstr("found truth and error"));
  EXPECT_THAT(refusal("truth,a\n1,.5\n.5,7\n"), ::testing::HasSubstr("that are not methods: exclude them"));
  EXPECT_EQ(refusal("truth,a\n1,.5\n.5,x\n").substr(0, 9), "table.csv");
  EXPECT_EQ(refusal("truth,a\n1,.5\n", {"b"}), "table.csv: expected a column 'b', found columns truth, a");
  EXPECT_THAT(refusal("truth,alpha\n1,.5\n", {"alhpa"}), ::testing::HasSubstr("alpha; did you mean alpha?"));
  EXPECT_THAT(refusal("truth,note\n1,x\n"), ::testing::HasSubstr("found none besides the true values"));
  EXPECT_EQ(refusal("truth,a\n"), "table.csv: expected at least 1 row below the header, found none");
  EXPECT_EQ(refusal("truth,a\nnan,.5\n").substr(0, 48), "table.csv: expected column 'truth' within 0 to 1");
}

// Published figures: MAE and coverage of ATC and COT over 90 shifts, and MAE after the shift adjustment.
TEST(NinetyShifts, Anchors) {
  const std::filesystem::path path = LEEWAY_SHARED_DATA "/reference/dis2_90shifts.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const ShiftTable table = read_shift_table(path);
  EXPECT_EQ(table.n, 90u);
  EXPECT_EQ(table.data_sets, 10u);
  ASSERT_EQ(table.methods.size(), 2u);
  const double mae[] = {.066471, .069615}, coverage[] = {.288889, .255556};
  const double shifted[][3] = {{.1155, .1489, .2707}, {.1156, .1370, .2495}};
  const double scaled[][3] = {{.1306, .1533, .3374}, {.1514, .2001, .2572}};
  const double levels[] = {.9, .95, .99};
  for (std::size_t m = 0; m < 2; ++m) {
    const auto& shifts = table.methods[m].shifts;
    EXPECT_NEAR(score(shifts).mae, mae[m], 5e-7);
    EXPECT_NEAR(score(shifts).coverage, coverage[m], 5e-7);
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_NEAR(score(adjust(shifts, Adjustment::shift, levels[l])).mae, shifted[m][l], 6e-5);
      EXPECT_NEAR(score(adjust(shifts, Adjustment::scale, levels[l])).mae, scaled[m][l], 6e-5);
    }
  }
}

}  // namespace leeway::error_bound::evaluation_test
