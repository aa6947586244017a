// What labels say beside accuracy: scikit-learn's values (tests/reference/quality.py), closed forms, small and perfect sets.
#include "leeway/tasks/assess/detail/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "leeway/tasks/assess/detail/auroc.h"
#include "leeway/tasks/assess/detail/cells.h"
#include "tests/at_threads.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::quality_test {

Json reference() { return Json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/quality.json")); }

struct Case {
  Array logits;
  std::vector<std::int64_t> labels;
};

Case case_of(const Json& one) {
  std::vector<double> values;
  for (const Json& row : one["logits"])
    for (const Json& value : row) values.push_back(value);
  return {make_array<double>({one["logits"].size(), one["logits"][0].size()}, std::move(values)),
          one["labels"].get<std::vector<std::int64_t>>()};
}

Quality quality_of(const Case& one) {
  return assess::quality_of(one.logits, one.labels, predict(one.logits, "case"), .95);
}

void expect_known(const Measured& found, double expected, const std::string& what) {
  ASSERT_TRUE(found.value) << what;
  EXPECT_NEAR(*found.value, expected, 1e-12) << what;
  EXPECT_EQ(found.low.has_value(), found.high.has_value()) << what;
  EXPECT_LE(found.low.value_or(0), *found.value + 1e-12) << what;
  EXPECT_GE(found.high.value_or(1e9), *found.value - 1e-12) << what;
}

TEST(Quality, IsScikitLearns) {
  const Json cases = reference()["cases"];
  for (const Json& expected : cases) {
    const Quality quality = quality_of(case_of(expected));
    const tasks::AssessQuality& found = quality.found;
    const std::string name = expected["name"];
    expect_known(found.balanced_accuracy, expected["balanced_accuracy"], name + " balanced accuracy");
    expect_known(found.macro_f1, expected["macro_f1"], name + " macro F1");
    expect_known(found.auroc, expected["auroc"], name + " AUROC");
    expect_known(found.log_loss, expected["log_loss"], name + " log loss");
    expect_known(found.brier, expected["brier"], name + " Brier");
    expect_known(found.ece, expected["ece"], name + " ECE");
    EXPECT_EQ(Json(found.confusion), expected["confusion"]) << name;
    for (const tasks::ClassQuality& one : found.classes) {
      const std::size_t c = one.index;
      EXPECT_EQ(one.n, expected["n"][c]);
      EXPECT_EQ(one.predicted_n, expected["predicted_n"][c]);
      if (one.n > 0) expect_known(one.recall, expected["recall"][c], name + " recall");
      if (one.predicted_n > 0) expect_known(one.precision, expected["precision"][c], name + " precision");
      if (one.n + one.predicted_n > 0) expect_known(one.f1, expected["f1"][c], name + " F1");
      EXPECT_EQ(one.f1.value.has_value(), one.n + one.predicted_n > 0);
      EXPECT_EQ(one.auroc.value.has_value(), !expected["auroc_by_class"][c].is_null());
      if (one.auroc.value) expect_known(one.auroc, expected["auroc_by_class"][c], name + " AUROC of a class");
    }
  }
}

TEST(Auroc, HasDelongsVariance) {
  const Json cases = reference()["cases"];
  for (const Json& expected : cases) {
    const Case one = case_of(expected);
    const std::size_t k = one.logits.shape[1];
    const auto logits = one.logits.view<double>();
    for (std::size_t c = 0; c < k; ++c) {
      if (expected["auroc_variance"][c].is_null()) continue;
      std::vector<double> scores;
      std::vector<std::int64_t> positive;
      for (std::size_t i = 0; i < one.labels.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += std::exp(logits[i * k + j]);
        scores.push_back(std::exp(logits[i * k + c]) / sum);
        positive.push_back(one.labels[i] == static_cast<std::int64_t>(c));
      }
      const auto found = auroc(scores, positive);
      ASSERT_TRUE(found);
      std::array<double, 2> squares{};
      for (std::size_t i = 0; i < positive.size(); ++i)
        squares[static_cast<std::size_t>(positive[i])] += std::pow(found->placements[i] - found->value, 2);
      const auto p = static_cast<double>(found->positives), m = static_cast<double>(found->negatives);
      EXPECT_NEAR(squares[1] / p / (p - 1) + squares[0] / m / (m - 1), expected["auroc_variance"][c], 1e-12);
    }
  }
}

TEST(Auroc, OfSeparatedTiedAndMissingClasses) {
  const std::vector<double> scores{.1, .2, .8, .9}, tied(4, .5);
  const std::vector<std::int64_t> upper{0, 0, 1, 1}, none(4, 0);
  EXPECT_EQ(auroc(scores, upper)->value, 1);
  EXPECT_EQ(auroc(tied, upper)->value, .5);
  EXPECT_FALSE(auroc(scores, none));
}

// `rows` rows of each label: the first `right` of them right, with the margin; others wrong by it.
Case rows_of_labels(const std::vector<std::pair<std::size_t, std::size_t>>& rows_and_right,
                    double margin = 2) {
  std::vector<int> classes;
  std::vector<std::int64_t> labels;
  const auto k = static_cast<int>(rows_and_right.size());
  for (int c = 0; c < k; ++c)
    for (std::size_t i = 0; i < rows_and_right[static_cast<std::size_t>(c)].first; ++i) {
      labels.push_back(c);
      classes.push_back(i < rows_and_right[static_cast<std::size_t>(c)].second ? c : (c + 1) % k);
    }
  return {outputs_of(classes, static_cast<std::size_t>(k), margin).logits, std::move(labels)};
}

// Softmax rounds to 1 in every row; log odds 40 and 44 against 42 and 46: three of four pairs are in order.
TEST(Quality, AurocKeepsTheOrderOfSaturatedRows) {
  for (const double scale : {1., 100.}) {
    std::vector<double> logits{0, 40, 0, 44, 0, 42, 0, 46};
    for (double& value : logits) value *= scale;
    const Case one{make_array<double>({4, 2}, std::move(logits)), {0, 0, 1, 1}};
    EXPECT_EQ(quality_of(one).found.auroc.value, .75) << scale;
    std::vector<double> of_three{0, 40, -1, 0, 44, .5, 0, 42, .6, 0, 46, 1};
    for (double& value : of_three) value *= scale;
    const Case three{make_array<double>({4, 3}, std::move(of_three)), {0, 0, 1, 1}};
    EXPECT_EQ(quality_of(three).found.classes[1].auroc.value, .75) << scale;
  }
}

// A class's recall has Clopper's and Pearson's interval, and the mean of classes square-and-add of those.
TEST(Quality, BalancedAccuracyOfFewRowsIsAsWideAsItsRarestClass) {
  const Measured found = quality_of(rows_of_labels({{98, 97}, {2, 2}})).found.balanced_accuracy;
  const Interval often = clopper_pearson(97, 98), rare = clopper_pearson(2, 2);
  EXPECT_NEAR(*found.low, *found.value - std::hypot(97. / 98 - often.low, 1 - rare.low) / 2, 2e-3);
  EXPECT_NEAR(*found.high, *found.value + (often.high - 97. / 98) / 2, 2e-3);
}

TEST(Quality, IntervalsThatWouldNotCoverAreLeftOutWithTheReason) {
  const std::vector<std::string> names{"a", "b", "c"};
  const auto gaps = [&](const Case& one) {
    const Quality quality =
        assess::quality_of(one.logits, one.labels, predict(one.logits, "case"), .95, names);
    auto found = interval_gaps(nullptr, &quality);
    EXPECT_EQ(found.contains("quality.log_loss_low"), !quality.found.log_loss.low);
    EXPECT_EQ(found.contains("quality.auroc_high"), quality.found.auroc.value && !quality.found.auroc.high);
    EXPECT_EQ(found.contains("quality.macro_f1_low"), !quality.found.macro_f1.low);
    EXPECT_EQ(found.contains("quality.balanced_accuracy_low"), !quality.found.balanced_accuracy.low);
    EXPECT_TRUE(quality.found.brier.low && quality.found.ece.low);
    return found;
  };
  EXPECT_TRUE(gaps(rows_of_labels({{20, 15}, {10, 5}, {20, 20}})).empty());
  EXPECT_EQ(gaps(rows_of_labels({{20, 15}, {10, 6}, {20, 20}})).at("quality.log_loss_low"),
            "fewer than 10 errors");
  EXPECT_EQ(gaps(rows_of_labels({{20, 20}, {10, 10}, {20, 20}})).at("quality.log_loss_high"),
            "no error observed");
  const auto few = gaps(rows_of_labels({{20, 10}, {9, 9}, {20, 20}}));
  EXPECT_EQ(few.at("quality.auroc_low"), "fewer than 10 rows of class b");
  EXPECT_EQ(few.at("quality.macro_f1_low"), "fewer than 10 rows of class b");
  EXPECT_FALSE(few.contains("quality.balanced_accuracy_low"));
  const auto none = gaps(rows_of_labels({{20, 10}, {5, 5}, {0, 0}}));
  EXPECT_EQ(none.at("quality.balanced_accuracy_low"), "no rows of class c; the mean excludes 1 of 3 classes");
  EXPECT_EQ(none.at("quality.macro_f1_low"),
            "no rows of class c, and too few of 1 more; the mean excludes 1 of 3 classes");
}

TEST(Quality, GapsReachTheRecordAndNameTheSide) {
  const Case sure = rows_of_labels({{30, 30}, {30, 30}}), unsure = rows_of_labels({{30, 20}, {30, 20}});
  const auto outputs = [](const Case& one, const char* path) {
    Outputs made;
    made.path = path, made.logits = one.logits, made.labels = one.labels;
    return made;
  };
  const Json result = assess({{"cnn", outputs(sure, "clean.npz")}},
                             {{"cnn", "fog", outputs(unsure, "fog.npz")}})["results"][0];
  EXPECT_TRUE(result["quality_change"]["log_loss_low"].is_null());
  EXPECT_FALSE(result["quality"]["log_loss_low"].is_null());
  EXPECT_EQ(result["not_computed"]["source_quality.log_loss_low"], "no error observed");
  EXPECT_EQ(result["not_computed"]["quality_change.log_loss_high"], "source: no error observed");
  EXPECT_FALSE(result["not_computed"].contains("quality.log_loss_low"));
}

// One of ten rows changes in each class: a change of 0 is as likely as one of a few rows more.
TEST(QualityChange, OfSaturatedRowsIsNoPoint) {
  const Quality before = quality_of(rows_of_labels({{30, 30}, {30, 30}}, 30)), after = before;
  const tasks::QualityChange change = quality_change(before, after, true, .95);
  for (const Measured* one :
       {&change.balanced_accuracy, &change.macro_f1, &change.auroc, &change.brier, &change.ece}) {
    EXPECT_EQ(one->value, 0);
    EXPECT_LT(*one->low, -.03);
    EXPECT_GT(*one->high, .03);
  }
}

TEST(Quality, OfOneRowAndOfPerfectRowsHasWideIntervals) {
  const Case one{outputs_of({0}, 3).logits, {0}};
  const tasks::AssessQuality single = quality_of(one).found;
  EXPECT_EQ(single.balanced_accuracy.value, 1);
  EXPECT_FALSE(single.balanced_accuracy.low);
  EXPECT_FALSE(single.auroc.value);
  EXPECT_LT(*single.ece.low, .01);
  EXPECT_GT(*single.ece.high, .9);
  const tasks::AssessQuality perfect = quality_of(rows_of_labels({{10, 10}, {10, 10}, {10, 10}})).found;
  EXPECT_EQ(perfect.macro_f1.value, 1);
  EXPECT_LT(*perfect.macro_f1.low, .9);
  EXPECT_EQ(*perfect.macro_f1.high, 1);
  EXPECT_EQ(perfect.auroc.value, 1);
  EXPECT_LT(*perfect.auroc.low, .9);
}

// F1 = 2J / (1 + J), J the share of the rows labelled or predicted as the class that are both.
TEST(Quality, F1HasTheEndsOfAShare) {
  const Case one{outputs_of({0, 0, 0, 1, 1}, 2).logits, {0, 0, 1, 1, 0}};
  const Interval overlap = clopper_pearson(2, 4);
  const Measured f1 = quality_of(one).found.classes[0].f1;
  EXPECT_NEAR(*f1.value, 2. / 3, 1e-15);
  EXPECT_NEAR(*f1.low, 2 * overlap.low / (1 + overlap.low), 1e-15);
  EXPECT_NEAR(*f1.high, 2 * overlap.high / (1 + overlap.high), 1e-15);
}

TEST(QualityChange, OfTheSameRowsIsNarrowerThanOfOthers) {
  const Json expected = reference()["cases"][1];
  const Case before = case_of(expected);
  Case after = case_of(expected);
  std::vector<double> values(after.logits.view<double>().begin(), after.logits.view<double>().end());
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] += .5;
  after.logits = make_array<double>(after.logits.shape, std::move(values));
  const Quality a = quality_of(before), b = quality_of(after);
  const tasks::QualityChange same = quality_change(a, b, true, .95), apart = quality_change(a, b, false, .95);
  EXPECT_EQ(same.macro_f1.value, apart.macro_f1.value);
  EXPECT_LT(*same.log_loss.high - *same.log_loss.low, *apart.log_loss.high - *apart.log_loss.low);
  EXPECT_NEAR(*same.brier.value, *b.found.brier.value - *a.found.brier.value, 1e-15);
}

TEST(Quality, HasTheSameBitsAtAnyThreads) {
  const Case one = case_of(reference()["cases"][1]);
  const auto work = [&] { return *quality_of(one).found.auroc.low + *quality_of(one).found.log_loss.value; };
  EXPECT_EQ(at_threads(1, work), at_threads(4, work));
}

GroupColumn column(std::string name, std::vector<std::string> levels, std::vector<std::int32_t> codes) {
  return {std::move(name), std::move(levels), std::move(codes)};
}

// Wrong on half of fog at night, and on a tenth elsewhere.
TEST(Subgroups, FindsThePairThatWasPlanted) {
  std::vector<std::int32_t> weather, time;
  std::vector<std::uint8_t> correct;
  for (std::size_t i = 0; i < 2400; ++i) {
    weather.push_back(static_cast<std::int32_t>(i % 3)), time.push_back(static_cast<std::int32_t>(i / 3 % 2));
    const bool weak = weather.back() == 2 && time.back() == 1;
    correct.push_back(weak ? i / 6 % 2 == 0 : i / 6 % 10 != 0);
  }
  const std::vector<GroupColumn> columns{column("weather", {"sun", "rain", "fog"}, weather),
                                         column("time", {"day", "night"}, time)};
  const tasks::AssessSubgroups found = weakest_subgroups(columns, correct);
  EXPECT_EQ(found.searched, 3u + 2 + 6);
  ASSERT_EQ(found.list.size(), 5u);
  EXPECT_EQ(subgroup_name(found.list[0]), "weather = fog, time = night");
  EXPECT_TRUE(found.list[0].clear);
  EXPECT_NEAR(*found.list[0].accuracy.value, .5, .1);
  EXPECT_NEAR(static_cast<double>(found.list[0].n + found.list[0].search_n), 400, 0);
}

// Where no sub-group is weaker, 200 searches among 56 call one so as rarely as promised.
TEST(Subgroups, KeepTheirLevelWhereNoneIsWeaker) {
  std::size_t alarms = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, stream("none weaker"));
    std::vector<std::int32_t> a, b;
    std::vector<std::uint8_t> correct;
    for (std::size_t i = 0; i < 3000; ++i) {
      a.push_back(static_cast<std::int32_t>(random.below(6))),
          b.push_back(static_cast<std::int32_t>(random.below(7)));
      correct.push_back(random.uniform() < .8);
    }
    const std::vector<GroupColumn> columns{column("a", {"0", "1", "2", "3", "4", "5"}, a),
                                           column("b", {"0", "1", "2", "3", "4", "5", "6"}, b)};
    const auto found = weakest_subgroups(columns, correct, {.seed = seed});
    alarms += std::ranges::any_of(found.list, &tasks::Subgroup::clear);
  }
  EXPECT_LE(alarms, 14u);  // 5 expected: half of .05; more than 14 has a probability below 1e-3
}

TEST(Subgroups, OfFewRowsOrNoColumnsAreNone) {
  EXPECT_TRUE(weakest_subgroups({}, std::vector<std::uint8_t>(100, 1)).list.empty());
  const auto few = weakest_subgroups({column("a", {"0"}, std::vector<std::int32_t>(30))},
                                     std::vector<std::uint8_t>(30, 1));
  EXPECT_TRUE(few.list.empty());
  EXPECT_EQ(few.weakest(), nullptr);
}

}  // namespace leeway::assess::quality_test
