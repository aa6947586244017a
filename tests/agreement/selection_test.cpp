#include "leeway/agreement/selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/message_of.h"

namespace leeway::agreement {
namespace {

const double log2 = std::log(2.);

Array logits(std::vector<double> values) { return make_array<double>({values.size() / 2, 2}, values); }

// Two samples. `steady` says the same of both, clean and shifted: a_i(inf) = 0, PA = log 2. `moved` changes its mind
// about the second: a_1 + a_2 = log(1 - s) + log s with s = 2 p q <= 1/2 grows with s, so beta = 0 and PA = 0.
const Array clean = logits({1, 0, 1, 0}), moved = logits({1, 0, 0, 1});

TEST(MeasureCheckpoint, HasAgreementAndBothAccuracies) {
  const std::vector<std::int64_t> labels = {0, 0};
  const Checkpoint steady = measure_checkpoint(clean, clean, labels);
  EXPECT_NEAR(steady.agreement.pa, log2, 1e-12);
  const Checkpoint other = measure_checkpoint(clean, moved, labels);
  EXPECT_NEAR(other.agreement.pa, 0, 1e-12);
  EXPECT_EQ(other.agreement.beta, 0);
  EXPECT_EQ(other.accuracy->value, 1);
  EXPECT_EQ(other.accuracy_shifted->value, .5);
  EXPECT_NEAR(other.accuracy->interval.low, std::sqrt(.025),
              1e-12);  // Clopper-Pearson, 2 of 2: alpha/2 = p^2
  EXPECT_EQ(other.accuracy->interval.high, 1);
  EXPECT_NEAR(other.accuracy_shifted->interval.low, 1 - std::sqrt(.975), 1e-12);  // 1 of 2: (1-p)^2 = .975
  Options wide;
  wide.level = .5;
  EXPECT_NEAR(measure_checkpoint(clean, moved, labels, wide).accuracy->interval.low, .5, 1e-12);
}

Checkpoint made(double pa, double accuracy, double accuracy_shifted) {
  Checkpoint checkpoint;
  checkpoint.agreement.pa = pa;
  checkpoint.accuracy = {accuracy, {}};
  checkpoint.accuracy_shifted = {accuracy_shifted, {}};
  return checkpoint;
}

TEST(SelectCheckpoint, TakesTheHighestOfEach) {
  const std::vector<Checkpoint> all = {made(.1, .7, .5), made(.3, .8, .4), made(.2, .9, .6), made(.1, .6, .7),
                                       made(.3, .9, .7)};
  const Selection selection = select_checkpoint(all);  // of equal ones the earliest
  EXPECT_EQ(selection.pa, 1U);
  EXPECT_EQ(selection.accuracy, 2U);
  EXPECT_EQ(selection.accuracy_shifted, 3U);
}

TEST(SelectCheckpoint, WithoutLabelsGoesByAgreementAlone) {
  std::vector<Checkpoint> all(2);
  all[1].agreement.pa = .5;
  const Selection selection = select_checkpoint(all);
  EXPECT_EQ(selection.pa, 1U);
  EXPECT_FALSE(selection.accuracy || selection.accuracy_shifted);
}

TEST(SelectCheckpoint, RefusesNoneAndSomeLabels) {
  EXPECT_EQ(message_of([] { (void)select_checkpoint({}); }),
            "select_checkpoint: expected at least one checkpoint, found none");
  const std::vector<Checkpoint> all = {made(0, 0, 0), {}};
  EXPECT_EQ(message_of([&] { (void)select_checkpoint(all); }),
            "select_checkpoint: expected labels for every checkpoint or for none, found 1 of 2");
}

// The mean of rows with its interval by the standard error, as PA has it where unseen pairs hardly count.
PairedAgreement paired(const std::vector<double>& rows, double level = .95) {
  const Mean mean = mean_and_error(rows);
  const double half = normal_quantile(.5 * (1 + level)) * mean.standard_error;
  return {{mean.mean, {mean.mean - half, mean.mean + half}}, rows};
}

// Differences 1, 0, -1: mean 0, standard deviation 1.
TEST(PaDifference, IsThePairedMeanWithItsInterval) {
  const std::vector<double> first = {-1, -2, -3}, second = {-2, -2, -2};
  const Estimate found = pa_difference(paired(first), paired(second));
  EXPECT_EQ(found.value, 0);
  EXPECT_NEAR(found.interval.high, 1.959963984540054 / std::sqrt(3), 1e-12);
  EXPECT_NEAR(found.interval.low, -found.interval.high, 1e-12);
  EXPECT_LT(pa_difference(paired(first, .5), paired(second, .5), .5).interval.high, .4);
}

TEST(PaDifference, OfAConstantShiftIsCertain) {
  const std::vector<double> first = {-1., -3.}, second = {-1.5, -3.5};
  const Estimate found = pa_difference(paired(first), paired(second));
  EXPECT_EQ(found.value, .5);
  EXPECT_NEAR(found.interval.low, .5, 1e-7);
  EXPECT_NEAR(found.interval.high, .5, 1e-7);
}

TEST(PaDifference, OfOneRowSaysNothing) {
  const std::vector<double> first = {-1.}, second = {-2.};
  const Estimate found = pa_difference(paired(first), paired(second));
  EXPECT_EQ(found.value, 1);
  EXPECT_EQ(found.interval.low, -std::numeric_limits<double>::infinity());
}

TEST(PaDifference, RefusesOtherNumbersOfRows) {
  const std::vector<double> first = {-1.}, second = {-2., -1.};
  EXPECT_EQ(message_of([&] { (void)pa_difference(paired(first), paired(second)); }),
            "pa_difference: expected the same number of rows, at least 1, found 1 and 2");
}

}  // namespace
}  // namespace leeway::agreement
