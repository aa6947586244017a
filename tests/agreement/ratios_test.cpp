#include "leeway/agreement/ratios.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "leeway/agreement/decomposition.h"
#include "leeway/agreement/selection.h"
#include "leeway/core/error.h"
#include "tests/agreement/cases.h"
#include "tests/message_of.h"
#include "tests/stopping.h"

namespace leeway::agreement::ratios_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Ratios, EndsAreTheCleanSetAndTheWholeShift) {
  const Pair pair = gaussian(200, 5, 1, 3);
  const double ratios[] = {0, .5, 1};
  const auto points =
      ratio_sweep(clean_array(pair), shifted_array(pair), {.labels = {}, .norms = {}, .ratios = ratios});
  ASSERT_EQ(points.size(), 3);
  EXPECT_NEAR(points[0].agreement.pa, std::log(5), 1e-9);
  EXPECT_EQ(points[0].agreement.beta, infinity);
  EXPECT_EQ(points[0].agreement.pa_interval.low, std::log(5));  // nothing is left to chance
  EXPECT_EQ(points[0].agreement.pa_interval.high, std::log(5));
  EXPECT_LT(points[1].agreement.pa_interval.low, points[1].agreement.pa);
  const Agreement whole = posterior_agreement(clean_array(pair), shifted_array(pair));
  EXPECT_EQ(points[2].agreement.pa, whole.pa);
  EXPECT_EQ(points[1].shifted, 100);
  EXPECT_LT(points[2].agreement.pa, points[1].agreement.pa);
}

// The rows shifted at a ratio, recognised by what they become.
TEST(Ratios, SmallestNormsFirstTiesByRowInfiniteLast) {
  const std::size_t n = 6;
  const Pair pair = {n, 2, {30, 0, 30, 0, 30, 0, 30, 0, 30, 0, 30, 0}, {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}};
  const double norms[] = {2, infinity, 1, 2 - 1e-7, infinity, 0};
  const std::size_t order[] = {5, 2, 0, 3, 1, 4};
  for (std::size_t count = 0; count <= n; ++count) {
    Pair mixed = pair;
    mixed.shifted = pair.clean;
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(pair.shifted.data() + 2 * order[i], 2, mixed.shifted.data() + 2 * order[i]);
    const double ratio[] = {static_cast<double>(count) / static_cast<double>(n)};
    for (const bool single : {false, true}) {
      Pair given = pair;
      given.single = mixed.single = single;
      const auto points = ratio_sweep(clean_array(given), shifted_array(given),
                                      {.labels = {}, .norms = norms, .ratios = ratio});
      const Agreement expected = posterior_agreement(clean_array(mixed), shifted_array(mixed));
      EXPECT_EQ(points[0].shifted, count);
      EXPECT_EQ(points[0].agreement.pa, expected.pa);
      EXPECT_EQ(points[0].agreement.afr_pred, expected.afr_pred);
    }
  }
}

// What is known of the whole shift is taken over, not computed again.
TEST(Ratios, TheWholeShiftIsTakenWhereItIsGiven) {
  const Pair pair = gaussian(50, 3, 1, 3);
  const double ratios[] = {.5, 1};
  Sweep sweep{.labels = {}, .norms = {}, .ratios = ratios};
  const auto own = ratio_sweep(clean_array(pair), shifted_array(pair), sweep);
  sweep.whole = own[1].agreement;
  sweep.whole->pa = .125;  // recognised by what it is not
  const auto taken = ratio_sweep(clean_array(pair), shifted_array(pair), sweep);
  EXPECT_EQ(taken[1].agreement.pa, .125);
  EXPECT_EQ(taken[0].agreement.pa, own[0].agreement.pa);
}

TEST(Ratios, StopWhenAsked) {
  const Pair pair = gaussian(50, 3, 1, 3);
  const double ratios[] = {0, .25, .5, 1};
  Stopping stopper(1);
  Sweep sweep{.labels = {}, .norms = {}, .ratios = ratios};
  sweep.options.progress = &stopper;
  EXPECT_THROW((void)ratio_sweep(clean_array(pair), shifted_array(pair), sweep), Interrupted);
}

TEST(Ratios, BadArguments) {
  const Pair pair = gaussian(4, 2, 1, 3);
  const auto sweep = [&](std::vector<double> norms, std::vector<double> ratios) {
    return ratio_sweep(clean_array(pair), shifted_array(pair),
                       {.labels = {}, .norms = norms, .ratios = ratios});
  };
  EXPECT_THROW(sweep({1, 2}, {.5}), Error);
  EXPECT_THROW(sweep({1, 2, -1, 0}, {.5}), Error);
  EXPECT_THROW(sweep({1, 2, std::nan(""), 0}, {.5}), Error);
  EXPECT_THROW(sweep({}, {1.5}), Error);
  EXPECT_THROW(sweep({}, {std::nan("")}), Error);
}

TEST(Decomposition, GroupsAddUpToTheWhole) {
  const Pair pair = gaussian(500, 4, 1.5, 9);
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < pair.n; ++i) {
    const auto row = pair.clean.begin() + static_cast<std::ptrdiff_t>(4 * i);
    labels.push_back(i % 3 == 0 ? 1 : std::max_element(row, row + 4) - row);
  }
  const Agreement found = posterior_agreement(clean_array(pair), shifted_array(pair), labels);
  const Decomposition d = decompose(clean_array(pair), shifted_array(pair), labels, found.beta);
  double sum = 0;
  std::size_t n = 0;
  for (const Contribution& group : d.groups) {
    EXPECT_GT(group.n, 0);
    sum += group.sum;
    n += group.n;
  }
  EXPECT_EQ(n, pair.n);
  EXPECT_NEAR(sum, found.log_pa_sum, 1e-9 * static_cast<double>(n));
  EXPECT_EQ(d.rho, found.afr_pred);
}

// Four samples, one of each group, by hand at beta = log 3: p of the higher class is 3/4.
TEST(Decomposition, ByHand) {
  const Pair pair = {4, 2, {1, 0, 1, 0, 1, 0, 1, 0}, {1, 0, 1, 0, 0, 1, 0, 1}};
  const std::vector<std::int64_t> labels = {0, 1, 0, 1};
  const Decomposition d = decompose(clean_array(pair), shifted_array(pair), labels, std::log(3));
  const double same = std::log(10. / 16), moved = std::log(6. / 16);
  const double sums[] = {same, same, moved, moved};
  for (std::size_t g = 0; g < 4; ++g) {
    EXPECT_EQ(d.groups[g].n, 1);
    EXPECT_NEAR(d.groups[g].sum, sums[g], 1e-15);
  }
  for (std::size_t g = 0; g < 3; ++g) EXPECT_NEAR(*d.groups[g].delta, .25, 1e-15);
  EXPECT_NEAR(*d.groups[0].approximation, std::log(.5), 1e-15);
  EXPECT_NEAR(*d.groups[1].approximation, std::log(.5), 1e-15);
  EXPECT_NEAR(*d.groups[2].approximation, std::log(.25), 1e-15);
  EXPECT_FALSE(d.groups[3].delta);
}

// Thesis, table 4.1: pairs that all agree are worth nothing less than 0, at infinity.
TEST(Decomposition, AtInfinityAndWhereTheLogarithmDoesNotExist) {
  const Pair agreeing = {2, 2, {.5, -.5, .5, -.5}, {.5, -.5, .5, -.5}};
  const std::vector<std::int64_t> labels = {0, 0};
  const Decomposition sure = decompose(clean_array(agreeing), shifted_array(agreeing), labels, infinity);
  EXPECT_EQ(sure.groups[0].sum, 0);
  EXPECT_EQ(*sure.groups[0].approximation, 0);
  EXPECT_NEAR(decompose(clean_array(agreeing), shifted_array(agreeing), labels, 12.331).groups[0].sum / 2,
              -.0088 / 1000, 1e-7);
  const Decomposition flat = decompose(clean_array(agreeing), shifted_array(agreeing), labels, 0);
  EXPECT_EQ(*flat.groups[0].delta, .5);
  EXPECT_FALSE(flat.groups[0].approximation);
}

std::vector<RatioPoint> sweep_of(const std::vector<std::pair<double, double>>& corners) {
  std::vector<RatioPoint> sweep;
  for (const auto& [ratio, pa] : corners) {
    sweep.emplace_back();
    sweep.back().ratio = ratio;
    sweep.back().agreement.pa = pa;
  }
  return sweep;
}

// The ratio at which `sweep` has fallen to `level`: beside a better model that has this level at a ratio of its own.
std::optional<double> ratio_at_level(const std::vector<RatioPoint>& sweep, double level) {
  return ar_gap(sweep_of({{-1, level}, {sweep.back().ratio, 99}}), sweep).points[0].ratio_minus;
}

TEST(ArGap, LevelsAreMetBetweenTheRatios) {
  const auto sweep = sweep_of({{0, 2}, {.5, 1}, {1, .5}});
  EXPECT_EQ(ratio_at_level(sweep, 2), 0);
  EXPECT_NEAR(*ratio_at_level(sweep, 1.5), .25, 1e-15);
  EXPECT_EQ(ratio_at_level(sweep, 1), .5);
  EXPECT_NEAR(*ratio_at_level(sweep, .75), .75, 1e-15);
  EXPECT_EQ(ratio_at_level(sweep, .5), 1);
  EXPECT_FALSE(ratio_at_level(sweep, .4));         // never so low
  EXPECT_FALSE(ratio_at_level(sweep, 2.1));        // lower from the start
  EXPECT_EQ(ratio_at_level(sweep, 2 + 1e-10), 0);  // the accuracy of PA
}

TEST(ArGap, TheFirstMeetingCountsAndOfAFlatPieceItsBeginning) {
  // Falls to 1 at .25, rises to 1.5 at .5, falls again.
  EXPECT_EQ(ratio_at_level(sweep_of({{0, 2}, {.25, 1}, {.5, 1.5}, {1, 0}}), 1), .25);
  EXPECT_NEAR(*ratio_at_level(sweep_of({{0, 2}, {.25, 1}, {.5, 1.5}, {1, 0}}), 1.2), .2, 1e-15);
  EXPECT_EQ(ratio_at_level(sweep_of({{0, 2}, {.25, 1}, {.75, 1}, {1, 0}}), 1), .25);
  EXPECT_EQ(ratio_at_level(sweep_of({{0, 1}, {.5, 1}, {1, 0}}), 1), 0);
  // A rise above a start that already is below the level does not meet it.
  EXPECT_FALSE(ratio_at_level(sweep_of({{0, 1}, {.5, 2}, {1, 1}}), 1.5));
}

TEST(ArGap, PointsAreAtTheRatiosOfTheBetterModel) {
  const auto robust = sweep_of({{1, 1.5}, {0, 2}, {.5, 1.75}});  // in any order
  const auto weak = sweep_of({{0, 2}, {.5, 1}, {1, .5}});
  for (const bool swapped : {false, true}) {
    const ArGap gap = swapped ? ar_gap(weak, robust) : ar_gap(robust, weak);
    EXPECT_EQ(gap.first_is_plus, !swapped);
    ASSERT_EQ(gap.points.size(), 3);
    const double expected[3][4] = {{2, 0, 0, 0}, {1.75, .5, .125, .375}, {1.5, 1, .25, .75}};
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(gap.points[i].pa, expected[i][0]);
      EXPECT_EQ(gap.points[i].ratio_plus, expected[i][1]);
      EXPECT_NEAR(*gap.points[i].ratio_minus, expected[i][2], 1e-15);
      EXPECT_NEAR(*gap.points[i].gap, expected[i][3], 1e-15);
    }
  }
}

// PA of + rises again from .2 on: it has fallen to .5 at .2, not only at 1.
TEST(ArGap, OfASweepThatRisesIsByFirstCrossingsOfBoth) {
  const auto dip = sweep_of({{0, 2}, {.2, .5}, {.6, 1.25}, {1, .5}});
  const ArGap own = ar_gap(dip, dip);
  const double ratios[]{0, .1, .2, .2};
  ASSERT_EQ(own.points.size(), 4u);
  for (std::size_t i = 0; i < own.points.size(); ++i) {
    EXPECT_NEAR(own.points[i].ratio_plus, ratios[i], 1e-15);
    EXPECT_EQ(own.points[i].gap, 0);
  }
  EXPECT_EQ(ar_gap(sweep_of({{0, 1}, {.5, 2}, {1, .5}}), dip).points.size(), 2u);  // 2 is above the first
}

TEST(ArGap, TheBetterModelIsThatOfTheLargestCommonRatio) {
  // At 1 alone the second would win; both hold .5.
  const auto first = sweep_of({{0, 2}, {.5, 1.5}, {.75, .1}}), second = sweep_of({{0, 2}, {.5, 1}, {1, .9}});
  const ArGap gap = ar_gap(first, second);
  EXPECT_TRUE(gap.first_is_plus);
  EXPECT_FALSE(gap.points[2].ratio_minus);  // PA .1: the other never falls so low
  EXPECT_FALSE(gap.points[2].gap);
  EXPECT_TRUE(ar_gap(first, first).first_is_plus);
  EXPECT_REFUSED(ar_gap(sweep_of({{0, 1}}), sweep_of({{1, 1}})), "ar_gap: expected sweeps ... found none");
}

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
  EXPECT_REFUSED(select_checkpoint({}), "select_checkpoint: expected at least one checkpoint, found none");
  const std::vector<Checkpoint> all = {made(0, 0, 0), {}};
  EXPECT_REFUSED(select_checkpoint(all), "select_checkpoint: expected labels for every ... found 1 of 2");
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
  EXPECT_REFUSED(pa_difference(paired(first), paired(second)), "pa_difference: expected ... found 1 and 2");
}

}  // namespace leeway::agreement::ratios_test
