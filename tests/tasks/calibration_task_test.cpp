#include <gmock/gmock.h>

#include <cmath>

#include "leeway/tasks/calibration/calibration.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks::calibration_task_test {

// Logits of two classes whose first class has probability p.
std::vector<double> with_probabilities(const std::vector<double>& p) {
  std::vector<double> logits;
  for (const double one : p) logits.insert(logits.end(), {std::log(one), std::log(1 - one)});
  return logits;
}

// Confidences .6 (twice), .9 (three times, once as class 1) and .7 without a label; right: one of .6, two of .9.
const NamedOutputs five_rows =
    outputs("five", 2, with_probabilities({.6, .9, .7, .1, .6, .9}), {0, 0, no_label, 1, 1, 1});

TEST(Calibration, OfFiveRowsByHand) {
  for (const char* const bins : {"equal-width", "equal-mass"}) {
    CalibrationTask task{.sets = {five_rows, five_rows}, .seed = 5};
    task.options.bins = bins;
    const Calibration record = calibration(task);
    ASSERT_EQ(record.results.size(), 2u);
    for (const CalibrationSet& set : record.results) {
      EXPECT_EQ(set.n, 5u);
      EXPECT_DOUBLE_EQ(*set.accuracy.value, .6);
      EXPECT_NEAR(set.confidence, .78, 1e-12);
      EXPECT_NEAR(set.error, (2 * .1 + 3 * (.9 - 2. / 3)) / 5, 1e-12);
      ASSERT_EQ(set.bins.size(), 2u) << bins << ": equal confidences share a bin";
      EXPECT_EQ(set.bins[1].n, 3u);
      EXPECT_NEAR(*set.bins[0].accuracy.high, .98742, 1e-5);  // Clopper-Pearson of 1 of 2: sqrt(.975)
    }
    expect_envelope(record);
  }
}

// 30 rows of growing confidence, all right: 2 rows a bin.
TEST(Calibration, BinsOfEqualMass) {
  std::vector<double> p;
  for (int i = 0; i < 30; ++i) p.push_back(.5 + .001 * (i + 1));
  CalibrationTask task{.sets = {outputs("thirty", 2, with_probabilities(p), Labels(30, 0))}};
  EXPECT_EQ(calibration(task).results[0].bins.size(), 1u);
  task.options.bins = "equal-mass";
  const CalibrationSet set = calibration(task).results[0];
  ASSERT_EQ(set.bins.size(), 15u);
  for (const CalibrationBin& bin : set.bins) EXPECT_EQ(bin.n, 2u);
}

TEST(Calibration, RefusesASetWithoutLabels) {
  EXPECT_REFUSED((void)calibration({.sets = {outputs("bare", 2, {1, 0})}}),
                 "bare: expected labels, found none");
}

}  // namespace leeway::tasks::calibration_task_test
