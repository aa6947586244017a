#include "leeway/error_bound/estimator.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/near_scores.h"
#include "leeway/error_bound/detail/temperature.h"
#include "leeway/error_bound/detail/transport.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/evidence.h"
#include "leeway/error_bound/sample.h"
#include "tests/at_threads.h"
#include "tests/error_bound/samples.h"
#include "tests/message_of.h"
#include "tests/stopping.h"

namespace leeway::error_bound::estimator_test {

using Parts = std::vector<std::string>;

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

// What replicates interpolate, beside fits and scores of the rows drawn.
TEST(Estimators, ScoresNearTheTemperatureAreThoseOfTheRows) {
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{4000, 2}, {2000, 10}, {1500, 100}}) {
    const Sample source = calibrated(n, k, 2, 31), target = calibrated(n / 2, k, 1, 32);
    const double t = fit_temperature(source.logits, source.labels).inverse;
    const auto near = NearEstimates::at(source, target, t, true);
    ASSERT_TRUE(near);
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      const std::vector<std::size_t> of_source = drawn_rows(n, n, Random(1, stream("near source"), draw)),
                                     of_target = drawn_rows(n / 2, n / 2, Random(1, stream("near"), draw));
      const auto found = near->temperature(of_source);
      ASSERT_TRUE(found);
      const double expected = fit_temperature(source.logits, source.labels, {1e-12, t, of_source}).inverse;
      EXPECT_NEAR(*found, expected, 1e-6 * expected) << k;
      const Scores one = near->target().at(expected, of_target),
                   other = scores(target.logits, expected, of_target);
      for (std::size_t i = 0; i < of_target.size(); ++i) {
        ASSERT_NEAR(one.confidence[i], other.confidence[i], 1e-6);
        ASSERT_NEAR(one.negative_entropy[i], other.negative_entropy[i], 1e-5);
        ASSERT_NEAR(one.log_odds[i], other.log_odds[i], 1e-5);
      }
      EXPECT_EQ(one.margin, other.margin);
      EXPECT_EQ(one.predicted, other.predicted);
    }
    EXPECT_FALSE(NearEstimates::at(source, target, std::numeric_limits<double>::infinity(), true));
    const Sample few = calibrated(30, k, 2, 33);  // resamples move their temperature too far
    EXPECT_FALSE(NearEstimates::at(few, target, fit_temperature(few.logits, few.labels).inverse, true));
  }
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
  EXPECT_REFUSED(
      estimate_error(source, source, {.methods = {"atc"}}),
      "estimator: expected one of " + names_of(estimators()) + ", found 'atc'; did you mean atc-conf?");
  EXPECT_REFUSED(estimate_error(source, source, {.level = 1}), "estimate_error: level: expected ... found 1");
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

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();

Sample source_of(std::vector<double> logits, std::vector<std::int64_t> labels) {
  return sample_of(2, std::move(logits), std::move(labels), "s.npz");
}

Sample target_of(std::size_t k, std::vector<double> logits, std::vector<std::int64_t> labels = {}) {
  return sample_of(k, std::move(logits), std::move(labels), "t.npy");
}

Sample with_features(Sample sample, std::vector<std::size_t> shape, std::vector<double> values) {
  sample.features = make_array<double>(std::move(shape), std::move(values));
  return sample;
}

const Sample sound = source_of({1, 0, 0, 1, 2, 1}, {0, 1, 0}), sound_target = target_of(2, {1, 0, 0, 1});

void expect_refused(const Sample& source, const Sample& target, const std::string& name, const Parts& parts) {
  const std::string message = message_of([&] { check(source, target); });
  EXPECT_THAT(message, ::testing::StartsWith(name + ": "));
  for (const std::string& part : parts) EXPECT_THAT(message, ::testing::HasSubstr(part));
}

TEST(SampleCheck, NamesTheTarget) {
  EXPECT_EQ(message_of([] { check(sound, sound_target); }), "no error");
  const auto made = [](Array logits) { return Sample{"t.npy", std::move(logits), {}, {}}; };
  const std::pair<Sample, Parts> bad[] = {
      {target_of(2, {1, 0, nan, 1}), {"finite logits", "nan at row 1, class 0"}},
      {target_of(2, {1e141, 0}), {"below 1e140", "1e+141 at row 0, class 0"}},
      {made(make_array<float>({1, 2}, {0, static_cast<float>(inf)})), {"inf at row 0, class 1"}},
      {target_of(3, {1, 0, 0}), {"2 classes, as in s.npz", "found 3"}},
      {target_of(1, {1, 0}), {"at least 2 classes", "found 1"}},
      {target_of(2, {}), {"at least 1 row", "none"}},
      {made(make_array<double>({2}, {1, 2})), {"matrix", "float64 (2)"}},
      {made(make_array<std::int64_t>({1, 2}, {1, 2})), {"matrix of floats", "int64 (1, 2)"}},
      {target_of(2, {1, 0, 0, 1}, {0, 5}), {"labels 0 to 1", "5 at row 1"}},
  };
  for (const auto& [target, parts] : bad) expect_refused(sound, target, "t.npy", parts);
  expect_refused(with_features(sound, {3, 1}, {1, 2, 3}), with_features(sound_target, {2, 2}, {1, 2, 3, 4}),
                 "t.npy", {"1 features, as in s.npz", "found 2"});
  expect_refused(with_features(sound, {3, 2}, {1, 2, 3, 4, 5, 6}),
                 with_features(sound_target, {2, 2}, {1, 2, 3, inf}), "t.npy",
                 {"finite features", "inf at row 1, column 1"});
}

TEST(SampleCheck, NamesTheSource) {
  const std::vector<double> logits = {1, 0, 0, 1, 2, 1};
  const std::pair<Sample, Parts> bad[] = {
      {source_of({1, 0, 0, -inf, 2, 1}, {0, 1, 0}), {"finite logits", "-inf at row 1, class 1"}},
      {source_of(logits, {}), {"labels", "none"}},
      {source_of(logits, {0, 2, 0}), {"labels 0 to 1", "2 at row 1"}},
      {source_of(logits, {0, -1, 0}), {"labels 0 to 1", "-1 at row 1"}},
      {source_of(logits, {0, 1}), {"3 labels", "found 2"}},
      {with_features(sound, {2, 2}, {1, 2, 3, 4}), {"features of 3 rows", "found 2"}},
  };
  for (const auto& [source, parts] : bad) expect_refused(source, sound_target, "s.npz", parts);
}

Sample in_parts(const Sample& sample, std::vector<std::size_t> ends) {
  const std::vector<double> all = logits_of(sample);
  const std::size_t k = sample.k();
  ends.push_back(sample.n());
  std::vector<Array> parts;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    parts.push_back(make_array<float>({end - begin, k}, {all.data() + begin * k, all.data() + end * k}));
    begin = end;
  }
  return {sample.name, Rows(std::move(parts)), sample.labels, sample.features};
}

TEST(Streaming, PartsAreAsGoodAsOneFile) {
  const Sample source = drawn(3000, 5, 1.5, 1), target = drawn(2500, 5, .5, 2);
  const Sample whole_source = in_parts(source, {}), whole_target = in_parts(target, {});
  const Sample some_source = in_parts(source, {1, 1000, 1300}),
               some_target = in_parts(target, {0, 700, 2499});
  const Estimates whole = estimate_error(whole_source, whole_target, {.bootstrap = 10}),
                  some = estimate_error(some_source, some_target, {.bootstrap = 10});
  EXPECT_EQ(whole.inverse_temperature, some.inverse_temperature);
  ASSERT_EQ(whole.estimates.size(), some.estimates.size());
  for (std::size_t i = 0; i < whole.estimates.size(); ++i) {
    EXPECT_EQ(whole.estimates[i].error, some.estimates[i].error) << i;
    EXPECT_EQ(whole.estimates[i].interval->low, some.estimates[i].interval->low) << i;
  }
  Dis2Options options;
  options.restarts = 3;
  const Dis2 bound = dis2_bound(whole_source, whole_target, options),
             of_parts = dis2_bound(some_source, some_target, options);
  EXPECT_EQ(bound.bound, of_parts.bound);
  EXPECT_EQ(bound.restarts, of_parts.restarts);
}

TEST(Streaming, ABadValueIsNamedByItsPart) {
  const Sample source = drawn(100, 3, 1, 1);
  std::vector<double> logits = logits_of(source);
  logits[3 * 71 + 2] = std::numeric_limits<double>::quiet_NaN();
  const Sample bad = in_parts(sample_of(3, logits, {}, "t-*.npy"), {60});
  EXPECT_REFUSED(check(source, bad), "nan at row 71 (row 11 of part 2), class 2...");
}

TEST(Streaming, HeldOutRowsMadeAnewAgreeWithTheSame) {
  const Sample source = drawn(4001, 6, 1, 1), target = drawn(2503, 6, 1, 2);
  const CriticData kept = critic_data(source, target, {}, Scaling::standard),
                   made = critic_data(source, target, {}, Scaling::standard, 0);
  ASSERT_TRUE(kept.holdout.kept && !made.holdout.kept);
  EXPECT_EQ(kept.holdout.y, made.holdout.y);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed, stream("streaming test"));
    std::vector<float> theta(kept.training.parameters());
    for (std::size_t c = 0; c < 6; ++c)
      for (std::size_t j = 0; j <= 6; ++j)
        theta[kept.training.at(j, c)] = static_cast<float>(random.normal());
    EXPECT_EQ(agreeing_rows(kept.holdout, theta, kept.holdout.n()),
              agreeing_rows(made.holdout, theta, made.holdout.n()));
  }
}

TEST(Streaming, GainsMadeWhileReadGiveTheSameTransport) {
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{7, 3}, {20000, 10}, {9000, 100}}) {
    const Sample sample = drawn(n, k, 1, n);
    const Softmax p(sample.logits, 1.7);
    std::vector<double> all, masses(k, 1);
    (void)p.rows(0, n, all);
    masses[1] = 2.5;
    const Transport held = optimal_transport(all, k, masses),
                    made = optimal_transport({n, k,
                                              [&](std::size_t begin, std::size_t end,
                                                  std::vector<double>&to) { return p.rows(begin, end, to); }},
                                             masses);
    EXPECT_EQ(held.cost, made.cost);
    EXPECT_EQ(held.potentials, made.potentials);
  }
}

}  // namespace leeway::error_bound::estimator_test
