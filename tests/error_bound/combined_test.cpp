#include "leeway/error_bound/combined.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/core/two_samples.h"
#include "leeway/error_bound/estimator.h"
#include "tests/error_bound/samples.h"

namespace leeway::error_bound::combined_test {

struct MadeRows {
  Scores scores;
  std::vector<std::int64_t> labels;
};

// Rows of `k` classes; a label j is predicted as j + 1 with probability .1 + .2 j / k, and its margins grow with j.
MadeRows rows_of(std::size_t n, std::size_t k, std::vector<double> shares, std::uint64_t seed,
                 double factor = 1) {
  Random random(seed, stream("combined test"));
  MadeRows rows;
  for (std::size_t i = 0; i < n; ++i) {
    double left = random.uniform();
    std::size_t label = 0;
    while (label + 1 < k && left >= shares[label]) left -= shares[label++];
    const auto j = static_cast<double>(label), classes = static_cast<double>(k);
    const bool wrong = random.uniform() < .1 + .2 * j / classes;
    rows.labels.push_back(static_cast<std::int64_t>(label));
    rows.scores.predicted.push_back(static_cast<std::int32_t>(wrong ? (label + 1) % k : label));
    rows.scores.margin.push_back(factor * std::abs(random.normal() + (wrong ? .5 : 1.5 + j / classes)));
  }
  return rows;
}

// The mix of two classes by trying 2,001, from a dense D.
TEST(Movement, FitsTheMixOfTheLargestLikelihood) {
  const MadeRows source = rows_of(300, 2, {.6, .4}, 1), target = rows_of(200, 2, {.2, .8}, 2);
  const OutputProfile profile(source.scores, source.labels, 2);
  const Movement found = profile.movement(target.scores);
  std::vector<std::vector<double>> margins(2);
  for (std::size_t i = 0; i < 300; ++i)
    margins[static_cast<std::size_t>(source.scores.predicted[i])].push_back(source.scores.margin[i]);
  for (auto& list : margins) std::ranges::sort(list);
  const auto cell_of = [&](const MadeRows& rows, std::size_t i) {
    const auto j = static_cast<std::size_t>(rows.scores.predicted[i]);
    const auto& list = margins[j];
    const double z = rows.scores.margin[i];
    return 3 * j + (z >= list[list.size() / 3] ? 1 : 0) + (z >= list[list.size() * 2 / 3] ? 1 : 0);
  };
  double count[2] = {}, wrong[2] = {}, predicted[2] = {}, thirds[3] = {}, d[6][2] = {}, q[6] = {};
  for (std::size_t i = 0; i < 300; ++i) {
    const auto label = static_cast<std::size_t>(source.labels[i]), cell = cell_of(source, i);
    ++count[label], ++predicted[cell / 3], ++thirds[cell % 3], ++d[cell][label];
    wrong[label] += cell / 3 != label ? 1 : 0;
  }
  const double error = (wrong[0] + wrong[1]) / 300;
  for (std::size_t cell = 0; cell < 6; ++cell)
    for (std::size_t label = 0; label < 2; ++label) {
      const double as_all = error * predicted[cell / 3] / 300 + (cell / 3 == label ? 1 - error : 0);
      d[cell][label] = (d[cell][label] + 2 * (thirds[cell % 3] + 1) / 303 * as_all) / (count[label] + 2);
    }
  for (std::size_t i = 0; i < 200; ++i) q[cell_of(target, i)] += 1. / 200;
  double best = -1e9, mix = 0;
  for (int step = 1; step < 2000; ++step) {
    const double w = step / 2000.;
    double sum = 0;
    for (std::size_t cell = 0; cell < 6; ++cell)
      sum += q[cell] * std::log(w * d[cell][0] + (1 - w) * d[cell][1]);
    if (sum > best) best = sum, mix = w;
  }
  const auto error_of = [&](std::size_t j) { return (wrong[j] + 2 * error) / (count[j] + 2); };
  EXPECT_NEAR(found.mix_error, mix * error_of(0) + (1 - mix) * error_of(1), 2e-4);
  double misfit = 0;
  for (std::size_t cell = 0; cell < 6; ++cell)
    misfit += std::abs(q[cell] - mix * d[cell][0] - (1 - mix) * d[cell][1]) / 2;
  EXPECT_NEAR(found.misfit, misfit, 1e-3);
}

TEST(Movement, SeparatesAnotherMixFromOtherMargins) {
  const std::vector<double> even{.25, .25, .25, .25}, uneven{.7, .1, .1, .1};
  const MadeRows source = rows_of(20000, 4, even, 1);
  const OutputProfile profile(source.scores, source.labels, 4);
  const Movement mixed = profile.movement(rows_of(20000, 4, uneven, 2).scores);
  EXPECT_NEAR(mixed.mix_error, .7 * .1 + .1 * (.15 + .2 + .25), .01);
  EXPECT_LT(mixed.misfit, 2 * mixed.misfit_noise);
  EXPECT_LT(mixed.distance, .03);
  const Movement scaled = profile.movement(rows_of(20000, 4, even, 3, std::exp(.7)).scores);
  EXPECT_GT(scaled.misfit, 10 * scaled.misfit_noise);
  EXPECT_GT(scaled.distance, .2);
  EXPECT_LT(scaled.least_distance, .02);
  EXPECT_NEAR(scaled.log_factor, .7, .05);
}

// If all labels are one class, no row is weighted, and the distance is that of the two samples.
TEST(Movement, DistanceIsThatOfKolmogorovAndSmirnov) {
  MadeRows source = rows_of(500, 2, {1, 0}, 1), target = rows_of(1500, 2, {1, 0}, 2, 1.3);
  for (Scores* scores : {&source.scores, &target.scores}) {
    std::ranges::fill(scores->predicted, 0);
    for (double& margin : scores->margin) margin = std::round(10 * margin) / 10;  // ties
  }
  const OutputProfile profile(source.scores, source.labels, 2);
  EXPECT_NEAR(profile.movement(target.scores).distance,
              kolmogorov_smirnov(source.scores.margin, target.scores.margin).statistic, 1e-12);
}

TEST(Combined, TellsTheSourcesErrorAtRestAndGrowsWithNoise) {
  const Sample source = drawn(4000, 5, 1.5, 1);
  const auto answer = [&](const Sample& target) {
    return *estimate_error(source, target, {.methods = {"combined"}, .bootstrap = 0}).combined;
  };
  const double error = 1 - collect_source(source, {}).source_accuracy;
  const CombinedAnswer rest = answer(drawn(4000, 5, 1.5, 2)), worse = answer(drawn(4000, 5, .8, 3));
  EXPECT_NEAR(rest.error, error, .02);
  EXPECT_LT(rest.likely.high - rest.likely.low, .2);
  EXPECT_GT(worse.error, rest.error + .05);
  for (const CombinedAnswer& one : {rest, worse}) {
    EXPECT_LE(one.likely.low, one.error);
    EXPECT_GE(one.likely.high, one.error);
  }
}

TEST(Combined, AnswersWhereClassesAreManyOrRowsFew) {
  const Sample sure = sample_of(2, {2, 0, 0, 3}, {0, 1});  // no error, and no row in a third of the margins
  const Estimates two =
      estimate_error(sure, sample_of(2, {.75, .25, .5, .5}), {.methods = {"combined"}, .bootstrap = 3});
  EXPECT_TRUE(std::isfinite(two.combined->likely.high));
  const Sample source = drawn(300, 200, 3, 1);
  for (const std::size_t n : {1, 2, 300}) {
    const Estimates found =
        estimate_error(source, drawn(n, 200, 3, 2), {.methods = {"combined"}, .bootstrap = 3});
    EXPECT_GE(found.combined->likely.low, 0);
    EXPECT_LE(found.combined->likely.high, 1);
    EXPECT_GE(found.combined->error, found.combined->likely.low);
    EXPECT_LE(found.combined->error, found.combined->likely.high);
  }
}

}  // namespace leeway::error_bound::combined_test
