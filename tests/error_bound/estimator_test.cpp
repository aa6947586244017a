// Every estimator against numpy, scipy and POT (tests/reference/error_bound.py), against loops, and by hand.
#include "leeway/error_bound/estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string_view>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "leeway/error_bound/evidence.h"
#include "tests/at_threads.h"
#include "tests/error_bound/samples.h"
#include "tests/message_of.h"
#include "tests/stopping.h"

namespace leeway::error_bound {
namespace {

Json reference_cases() {
  std::ifstream file(LEEWAY_REFERENCE "/error_bound.json");
  return Json::parse(file);
}

const std::vector<std::string_view> of_one_sample = {"ac",     "doc",           "atc-conf",
                                                     "atc-ne", "cot-published", "cot-corrected"};

void expect_errors(const Estimates& found, const Json& expected, const std::string& where) {
  ASSERT_EQ(found.estimates.size(), expected.size());
  for (const Estimate& estimate : found.estimates)
    EXPECT_NEAR(estimate.error, expected.at(std::string(estimate.estimator->name)).get<double>(), 1e-9)
        << where << ", " << estimate.estimator->name;
}

TEST(Estimators, EqualAnIndependentComputation) {
  const Json cases = reference_cases();
  ASSERT_GE(cases.size(), 10u);
  for (const Json& one : cases) {
    const auto k = one.at("k").get<std::size_t>();
    const Sample source = sample_of(k, one.at("source"), one.at("labels"));
    const Sample target = sample_of(k, one.at("target"));
    const Estimates scaled = estimate_error(source, target, {.methods = of_one_sample, .bootstrap = 0});
    const Json& temperature = one.at("inverse_temperature");
    const double t =
        temperature.is_string() ? std::stod(temperature.get<std::string>()) : temperature.get<double>();
    if (std::isinf(t))
      EXPECT_EQ(scaled.inverse_temperature, t) << one.at("name");
    else
      EXPECT_NEAR(scaled.inverse_temperature, t, 1e-11 * t) << one.at("name");
    expect_errors(scaled, one.at("scaled"), one.at("name").dump() + ", scaled");
    const Estimates plain =
        estimate_error(source, target, {.methods = of_one_sample, .temperature = false, .bootstrap = 0});
    EXPECT_EQ(plain.inverse_temperature, 1);
    expect_errors(plain, one.at("unscaled"), one.at("name").dump() + ", unscaled");
  }
}

// Source: odds 3:1 for the right class twice, 7:1 for the wrong one once, 1:1 once (class 0, right).
// Confidences 3/4, 3/4, 7/8, 1/2; accuracy 3/4. Target: 7/8, 3/4, 3/4, 1/2, predicted 0 0 1 0.
// ATC: the third largest source score is 3/4, weight (3 - 1) / 2 = 1, so 3 of 4 rows count.
// COT: the source has labels 0 0 1 0; rows give to class 0 what their p is: 7/8, 3/4, 1/4, 1/2. Row 3 goes to
// class 1, the others to 0: gain 7/8 + 3/4 + 3/4 + 1/2 = 23/8.
TEST(Estimators, ByHand) {
  const double a = std::log(3), b = std::log(7);
  const Sample source = sample_of(2, {a, 0, a, 0, b, 0, 0, 0}, {0, 0, 1, 0});
  const Sample target = sample_of(2, {b, 0, a, 0, 0, a, 0, 0});
  const Estimates found =
      estimate_error(source, target, {.methods = of_one_sample, .temperature = false, .bootstrap = 0});
  const double expected[] = {1 - 23. / 32, .25, .25, .25, 1 - 23. / 32, 1 - 23. / 32 + 23. / 32 - .75};
  ASSERT_EQ(found.estimates.size(), 6u);
  for (std::size_t m = 0; m < 6; ++m) {
    EXPECT_NEAR(found.estimates[m].error, expected[m], 1e-15) << found.estimates[m].estimator->name;
    EXPECT_FALSE(found.estimates[m].interval);
  }
  EXPECT_EQ(found.source_error, .25);
  EXPECT_LT(found.source_error_interval.low, .25);
  EXPECT_GT(found.source_error_interval.high, .25);
}

// One of five source rows is wrong and all scores are equal: four fifths of each tied target row count.
TEST(Estimators, SaturatedScoresAreCreditedInPart) {
  const Sample source = sample_of(2, {900, 0, 900, 0, 0, 900, 900, 0, 900, 0}, {0, 0, 1, 0, 1});
  const Sample target = sample_of(2, {900, 0, 0, 900, 900, 0});
  const Estimates found =
      estimate_error(source, target, {.methods = {"atc-conf"}, .temperature = false, .bootstrap = 0});
  EXPECT_NEAR(found.estimates.front().error, .2, 1e-15);
}

// Confidences of 1 to the last digit, in the order of their log odds; the least sure source row is wrong.
TEST(Estimators, SaturatedConfidencesKeepTheirOrder) {
  for (const double scale : {1., 1000.}) {
    std::vector<double> logits{50, 0, 0, 0, 70, 0, 60, 0, 0, 0, 80, 0},
        shifted{55, 0, 1, 0, 45, 0, 90, 2, 0, 0, 65, 3};
    for (auto* of : {&logits, &shifted})
      for (double& value : *of) value *= scale;
    const Sample source = sample_of(3, logits, {2, 1, 0, 1}), target = sample_of(3, shifted);
    const Estimates found =
        estimate_error(source, target, {.methods = {"atc-conf"}, .temperature = false, .bootstrap = 0});
    EXPECT_EQ(found.estimates.front().error, .5) << scale;  // 90 and 65 - 3 exceed 60
  }
}

// The published form is 10 points too high with 100 classes.
TEST(Estimators, CotHasNoBiasWhereNothingMoved) {
  for (const std::size_t k : {2, 100}) {
    constexpr std::size_t draws = 12;
    double cot = 0, published = 0, error = 0;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const Sample target = calibrated(300, k, 4, 2 * draw + 1);
      const Estimates found = estimate_error(calibrated(300, k, 4, 2 * draw), target,
                                             {.methods = {"cot", "cot-published"}, .bootstrap = 0});
      cot += found.estimates[0].error / draws, published += found.estimates[1].error / draws;
      error += 1 - collect_source(target, {}).source_accuracy;
    }
    error /= draws;
    EXPECT_NEAR(cot, error, .02) << k;
    if (k == 100) {
      EXPECT_GT(published, error + .1);
    }
  }
}

// Where no row of the source is wrong, resampling says that nothing can be.
TEST(EstimateIntervals, AreWideWhereErrorsAreFew) {
  const Sample source = sample_of(2, {9, 0, 0, 9, 9, 0, 0, 9}, {0, 1, 0, 1});
  const Estimates found = estimate_error(source, source);
  for (const Estimate& estimate : found.estimates) EXPECT_GT(estimate.interval->high, .3);
}

TEST(Estimators, RowOrderAndThreadsChangeNothing) {
  const Sample source = drawn(3000, 5, 1, 1), target = drawn(2500, 5, .5, 2);
  std::vector<double> logits;
  for (std::size_t i = target.n(); i-- > 0;)
    for (std::size_t j = 0; j < 5; ++j) logits.push_back(target.logits.at(i, j));
  const Sample reversed = sample_of(5, logits);
  const auto work = [&] { return estimate_error(source, target, {.bootstrap = 12}); };
  const Estimates one = at_threads(1, work), three = at_threads(3, work);
  const Estimates turned = estimate_error(source, reversed, {.bootstrap = 0});
  for (std::size_t m = 0; m < one.estimates.size(); ++m) {
    EXPECT_EQ(one.estimates[m].error, three.estimates[m].error);
    EXPECT_EQ(one.estimates[m].interval->low, three.estimates[m].interval->low);
    EXPECT_EQ(one.estimates[m].interval->high, three.estimates[m].interval->high);
    EXPECT_NEAR(one.estimates[m].error, turned.estimates[m].error, 1e-12);
  }
}

TEST(Estimators, SmallestInputsGiveAnswers) {
  const Sample source = sample_of(2, {1, 0}, {1});
  const Estimates found = estimate_error(source, sample_of(2, {0, 3}), {.bootstrap = 20});
  EXPECT_EQ(found.inverse_temperature, 0);
  EXPECT_EQ(found.source_error, 1);
  for (const Estimate& estimate : found.estimates) {
    EXPECT_GE(estimate.error, 0);
    EXPECT_LE(estimate.error, 1);
    EXPECT_LE(estimate.interval->low, estimate.error);
    EXPECT_GE(estimate.interval->high, estimate.error);
  }
}

TEST(Estimators, UnknownNamesAndLevelsAreRefused) {
  const Sample source = sample_of(2, {1, 0}, {0});
  EXPECT_EQ(message_of([&] { (void)estimate_error(source, source, {.methods = {"atc"}}); }),
            "estimator: expected one of " + names_of(estimators()) + ", found 'atc'; did you mean atc-conf?");
  EXPECT_EQ(message_of([&] { (void)estimate_error(source, source, {.level = 1}); }),
            "estimate_error: level: expected a number within (0, 1), found 1");
}

// Another draw of both sets changes the estimate and which rows are wrong: the interval tells the wider spread of the two.
TEST(EstimateIntervalsTier2, TellTheSpreadOverDraws) {
  const Sample all_source = drawn(100000, 3, 1.2, 90), all_target = drawn(100000, 3, .6, 91);
  const Estimates truth = estimate_error(all_source, all_target, {.bootstrap = 0});
  constexpr std::size_t draws = 40;
  std::vector<int> covered(truth.estimates.size(), 0);
  std::vector<double> width(covered.size(), 0), spread(covered.size(), 0), of_shares(covered.size(), 0);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const Estimates found = estimate_error(drawn(400, 3, 1.2, 1000 + 2 * draw),
                                           drawn(300, 3, .6, 1001 + 2 * draw), {.bootstrap = 100});
    for (std::size_t m = 0; m < covered.size(); ++m) {
      const Interval interval = *found.estimates[m].interval;
      const double value = truth.estimates[m].error;
      covered[m] += interval.low <= value && value <= interval.high;
      const Interval shares = sampling_interval(found.estimates[m].error, 300, found.source_error, 400, .95);
      width[m] += (interval.high - interval.low) / draws;
      of_shares[m] += (shares.high - shares.low) / draws;
      spread[m] += (found.estimates[m].error - value) * (found.estimates[m].error - value) / draws;
    }
  }
  for (std::size_t m = 0; m < covered.size(); ++m) {
    EXPECT_GE(covered[m], 32) << truth.estimates[m].estimator->name;  // of 40, .95 nominal
    const double wider = std::max(2 * 1.96 * std::sqrt(spread[m]), of_shares[m]);
    EXPECT_NEAR(width[m] / wider, 1, .4) << truth.estimates[m].estimator->name;
  }
}

// Replicates of a part of the rows, scaled, are as wide as those of all.
TEST(EstimateIntervalsTier2, OfAPartOfTheRowsAreAsWide) {
  const Sample source = drawn(16000, 3, 1.2, 5), target = drawn(16000, 3, .6, 6);
  const auto width = [&](std::size_t most) {
    const Estimates e =
        estimate_error(source, target, {.methods = {"atc-conf"}, .bootstrap = 300, .most_rows = most});
    return e.estimates[0].interval->high - e.estimates[0].interval->low;
  };
  const double part = width(4000), all = width(16000);
  EXPECT_NE(part, all);  // both are wider than the interval of shares
  EXPECT_NEAR(part / all, 1, .25);
}

TEST(EstimateIntervals, StopWhenAsked) {
  const Sample source = drawn(50, 3, 1, 1);
  Stopping progress;
  EXPECT_THROW((void)estimate_error(source, source, {.bootstrap = 100, .progress = &progress}), Interrupted);
  EXPECT_EQ(progress.tasks, std::set<std::string>{"intervals"});
  EXPECT_EQ(progress.done, 8);
  EXPECT_EQ(progress.total, 100);
}

}  // namespace
}  // namespace leeway::error_bound
