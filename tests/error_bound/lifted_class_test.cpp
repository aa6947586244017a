#include "leeway/error_bound/detail/lifted_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/imitation.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound::lifted_class_test {

// Normal columns; y is what `theta` predicts, but for one row in five.
struct Case {
  CriticRows rows;
  std::vector<float> theta;
};

double score(const Case& of, std::span<const float> theta, std::size_t row, std::size_t c) {
  double total = 0;
  for (std::size_t j = 0; j <= of.rows.d; ++j)
    total += double(of.rows.at_row(row, j)) * double(theta[of.rows.at(j, c)]);
  return total;
}

Case make_case(std::size_t d, std::size_t k, std::size_t n_source, std::size_t n_target) {
  Random random(4, stream("lifted"), d * 100 + k);
  Case made{CriticRows(n_source, n_target, d, k), {}};
  made.theta.resize(made.rows.parameters());
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j <= d; ++j) made.theta[made.rows.at(j, c)] = static_cast<float>(random.normal());
  for (std::size_t i = 0; i < made.rows.n(); ++i) {
    for (std::size_t j = 0; j < d; ++j)
      made.rows.at_row(i, j) =
          static_cast<float>((i < n_source ? 1 : .6) * random.normal() + (i < n_source ? .5 : 0));
    std::size_t best = 0;
    for (std::size_t c = 1; c < k; ++c)
      if (score(made, made.theta, i, c) > score(made, made.theta, i, best)) best = c;
    made.rows.y[i] = static_cast<std::int32_t>(random.uniform() < .2 ? random.below(k) : best);
  }
  return made;
}

TEST(Leads, AreTheOwnScoreAndTheBestTwoOthers) {
  for (const std::size_t k : {2u, 3u, 20u}) {
    const Case of = make_case(3, k, 150, 140);
    const Leads found = leads(of.rows, of.theta);
    for (std::size_t i = 0; i < of.rows.n(); ++i) {
      const auto y = static_cast<std::size_t>(of.rows.y[i]);
      std::vector<std::pair<double, std::size_t>> others;
      for (std::size_t c = 0; c < k; ++c)
        if (c != y) others.emplace_back(-score(of, of.theta, i, c), c);
      std::ranges::sort(others);
      ASSERT_NEAR(found.own[i], score(of, of.theta, i, y), 1e-5);
      ASSERT_NEAR(found.other[i], -others[0].first, 1e-5);
      ASSERT_EQ(found.rival[i], static_cast<std::int32_t>(others[0].second));
      ASSERT_EQ(found.third[i], static_cast<std::int32_t>(k == 2 ? k : others[1].second));
      if (k == 2) {
        ASSERT_EQ(found.next[i], -std::numeric_limits<float>::infinity());
      } else {
        ASSERT_NEAR(found.next[i], -others[1].first, 1e-5);
      }
    }
  }
}

// Of the constant critic: every threshold there is, tried.
TEST(LiftedClass, TheThresholdIsTheBestOne) {
  for (const auto& [k, c] : {std::pair(2u, 0u), {2u, 1u}, {3u, 1u}, {7u, 4u}}) {
    const Case of = make_case(3, k, 60, 45);
    std::vector<float> theta = of.theta;
    for (std::size_t j = 0; j <= of.rows.d; ++j) theta[of.rows.at(j, c)] = 0;
    std::vector<double> scores = {-100, 100};
    for (std::size_t i = 0; i < of.rows.n(); ++i)
      for (std::size_t other = 0; other < k; ++other) scores.push_back(score(of, of.theta, i, other));
    std::ranges::sort(scores);
    double best = -1;
    for (std::size_t i = 0; i + 1 < scores.size(); ++i) {
      theta[of.rows.at(of.rows.d, c)] = static_cast<float>((scores[i] + scores[i + 1]) / 2);
      best = std::max(best, discrepancy(agreement(of.rows, theta), of.rows));
    }
    const std::vector<FoundCritic> found = lift_class(of.rows, of.theta, c);
    EXPECT_NEAR(found.front().training_discrepancy, best, 1e-12) << k << ' ' << c;
  }
}

// The target lies along a direction that the classifier does not look at: a constant class cannot tell, a fitted one can.
TEST(LiftedClass, AFittedClassSeesADirectionThatAConstantDoesNot) {
  Random random(4, stream("direction"));
  CriticRows rows(300, 300, 2, 3);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const auto u = static_cast<float>(random.normal());
    rows.at_row(i, 0) = u, rows.at_row(i, 1) = static_cast<float>(random.normal() + (i < 300 ? -3 : 3));
    rows.y[i] = u > 0;
  }
  std::vector<float> theta(rows.parameters());
  theta[rows.at(0, 1)] = 1;           // classes 0 and 1 by u
  theta[rows.at(rows.d, 2)] = -1000;  // never predicted
  const std::vector<FoundCritic> found = lift_class(rows, theta, 2);
  EXPECT_LT(found[0].training_discrepancy, .2);
  EXPECT_GT(found[1].training_discrepancy, .95);
  for (std::size_t c = 0; c < 3; ++c) theta[rows.at(rows.d, c)] += 1000;  // predictions stay the same
  const std::vector<FoundCritic> moved = lift_class(rows, theta, 2);
  for (const std::size_t i : {0u, 1u})
    EXPECT_NEAR(moved[i].training_discrepancy, found[i].training_discrepancy, .01) << i;
}

// Along one class's scores, by the general search.
TEST(BestClassStep, IsTheBestStep) {
  for (const auto& [k, c] : {std::pair(2u, 0u), {3u, 1u}, {20u, 4u}}) {
    const Case of = make_case(3, k, 160, 145);
    Random random(5, stream("one class"));
    std::vector<float> u(of.rows.width), direction(of.theta.size()), theta = of.theta;
    for (std::size_t j = 0; j <= of.rows.d; ++j)
      direction[of.rows.at(j, c)] = u[j] = static_cast<float>(random.normal());
    const BestStep found = best_class_step(of.rows, leads(of.rows, theta), theta, c, u);
    EXPECT_NEAR(found.gain, best_step(of.rows, theta, direction).gain, 1e-12) << k;
    EXPECT_GT(found.gain, 0) << k;
    const double here = discrepancy(agreement(of.rows, theta), of.rows);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += found.step * direction[i];
    EXPECT_NEAR(discrepancy(agreement(of.rows, theta), of.rows), here + found.gain, 1e-12) << k;
  }
}

// One column, whose value is the score of classes 0 and 1; class 2 scores 0. The lowest class wins ties.
CriticRows tied(std::int32_t y) {
  CriticRows rows(40, 40, 1, 3);
  for (std::size_t i = 0; i < rows.n(); ++i) rows.at_row(i, 0) = i < 40 ? 3 : 1, rows.y[i] = y;
  return rows;
}

TEST(LiftedClass, TopClassesThatTieInEveryRow) {
  for (const std::int32_t y : {0, 1}) {
    const CriticRows rows = tied(y);
    std::vector<float> theta(rows.parameters());
    theta[rows.at(0, 0)] = theta[rows.at(0, 1)] = 1;
    const std::vector<FoundCritic> found = lift_class(rows, theta, 2);
    // Critics agree with class 0 until class 2 beats it; with class 1 they never agree.
    for (const FoundCritic& critic : found) EXPECT_EQ(critic.training_discrepancy, y == 0 ? 1 : 0);
  }
}

// Normal logits, the true class 2.2 + log(k)/2 - lower above them, times 1.3.
Sample gaussian(std::size_t n, std::size_t k, double lower, std::uint64_t number) {
  Random random(8, stream("many classes"), number);
  std::vector<float> logits(n * k);
  std::vector<std::int64_t> labels(n);
  const double lead = 2.2 + std::log(static_cast<double>(k)) / 2 - lower;
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<std::int64_t>(random.below(k));
    for (std::size_t c = 0; c < k; ++c)
      logits[i * k + c] = static_cast<float>(
          1.3 * (random.normal() + (static_cast<std::int64_t>(c) == labels[i] ? lead : 0)));
  }
  return {"made", make_array<float>({n, k}, std::move(logits)), std::move(labels), std::nullopt};
}

// Logits turned by a reflection, and four columns that say nothing: a linear head gives the logits back.
void add_features(Sample& sample, std::uint64_t number) {
  const std::size_t n = sample.n(), k = sample.k();
  Random random(8, stream("more columns"), number);
  std::vector<float> features(n * (k + 4));
  for (std::size_t i = 0; i < n; ++i) {
    float* row = features.data() + i * (k + 4);
    double mean = 0;
    for (std::size_t c = 0; c < k; ++c) mean += sample.logits.at(i, c) / static_cast<double>(k);
    for (std::size_t c = 0; c < k; ++c) row[c] = static_cast<float>(sample.logits.at(i, c) - 2 * mean);
    for (std::size_t c = k; c < k + 4; ++c) row[c] = static_cast<float>(random.normal());
  }
  sample.features = make_array<float>({n, k + 4}, std::move(features));
}

// Of random neighbours (imitation.h), c from .3 to 1.2, on the rows that the bound is measured on.
double best_neighbour(const Sample& source, const Sample& target, const Dis2Options& options) {
  const CriticData data = critic_data(source, target, options, Scaling::standard);
  const std::vector<float> theta = imitation(data, source, target, options.representation.kind);
  double best = -1;
  for (std::uint64_t number = 0; number < 20; ++number) {
    Random random(9, stream("neighbour"), number);
    const std::vector<float> critic = neighbour(data.training, theta, .3 + .9 * random.uniform(), random);
    best = std::max(best, discrepancy(agreement(*data.holdout.kept, critic), data.holdout));
  }
  return best;
}

TEST(ManyClassesTier2, TheSearchFindsNoLessThanRandomNeighboursOfTheClassifier) {
  Dis2Options options;
  options.restarts = 2;
  for (const auto& [k, n] : {std::pair(30u, 2000u), {100u, 2000u}}) {
    const Sample source = gaussian(n, k, 0, k + n), target = gaussian(n, k, .8, k + n + 1);
    const Dis2 found = dis2_bound(source, target, options);
    EXPECT_GE(found.discrepancy, best_neighbour(source, target, options)) << k << ' ' << n;
    // Nothing but the largest logit tells the sets apart, and its mean lies .8 deviations lower: 2 Phi(.4) - 1 = .311.
    EXPECT_GT(found.discrepancy, .22) << k;
    EXPECT_LT(found.discrepancy, .37) << k;
    EXPECT_GT(found.agreement_source, .4) << k;
    EXPECT_EQ(critic_warning(found), "");
  }
}

// Fewer components than classes: no linear critic is the classifier, and the one learnt to agree with it most is no good start.
TEST(ManyClassesTier2, SoItDoesOnFewComponents) {
  Sample source = gaussian(2000, 100, 0, 3), target = gaussian(2000, 100, .8, 4);
  add_features(source, 3), add_features(target, 4);
  Dis2Options options;
  options.restarts = 2;
  options.representation = {Representation::Kind::pca, 26};
  const Dis2 found = dis2_bound(source, target, options);
  EXPECT_GE(found.discrepancy, best_neighbour(source, target, options));
  EXPECT_GT(found.agreement_source, least_source_agreement);
}

// Every class takes over part of the scores of another: lifted classes and random neighbors do not see which.
TEST(ManyClasses, ADescentFromTheClassifierFindsMixedClasses) {
  constexpr std::size_t k = 100, n = 2000;
  const Sample source = gaussian(n, k, 0, 1);
  Sample target = gaussian(n, k, 0, 2);
  std::vector<double> logits = to_f64(target.logits.joined(), "");
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double> row(logits.begin() + static_cast<std::ptrdiff_t>(i * k),
                                  logits.begin() + static_cast<std::ptrdiff_t>((i + 1) * k));
    for (std::size_t c = 0; c < k; ++c) logits[i * k + c] += .6 * row[(7 * c + 3) % k];
  }
  target.logits = make_array<double>({n, k}, std::move(logits));
  Dis2Options options;
  options.restarts = 1;
  EXPECT_GT(dis2_bound(source, target, options).discrepancy, .3);
}

// The papers' recipe ends, with 100 classes, at critics that agree with the classifier nowhere, and smoothly so.
TEST(ManyClassesTier2, CriticsThatHardlyAgreeAreNotPraised) {
  Dis2Options options;
  options.search = Search::reference, options.restarts = 1;
  const Sample source = gaussian(400, 100, 0, 1), target = gaussian(400, 100, .8, 2);
  const Dis2 found = dis2_bound(source, target, options);
  ASSERT_LT(found.agreement_source, least_source_agreement);
  EXPECT_LE(*found.validity_score, found.agreement_source / least_source_agreement);
  EXPECT_NE(critic_warning(found), "");
}

TEST(CriticWarning, BelowAQuarter) {
  Dis2 found;
  found.agreement_source = .25;
  EXPECT_EQ(critic_warning(found), "");
  found.agreement_source = .0621;
  EXPECT_EQ(
      critic_warning(found),
      "The critic behind the bound agrees with the classifier on 6.2% of the held-out source rows, less than "
      "25%: larger discrepancies may have been missed, and the bound may be too low.");
}

TEST(ManyClassesTier2, TheBoundHolds) {
  Dis2Options options;
  options.restarts = 1;
  for (const std::size_t k : {100u, 300u})
    for (std::uint64_t number = 0; number < 3; ++number) {
      const Sample source = gaussian(1200, k, 0, 2 * number), target = gaussian(1200, k, .8, 2 * number + 1);
      const std::vector<std::int32_t> y = predicted_classes(target.logits, target.n());
      double wrong = 0;
      for (std::size_t i = 0; i < y.size(); ++i) wrong += y[i] != target.labels[i];
      options.seed = number;
      const Dis2 found = dis2_bound(source, target, options);
      EXPECT_GE(found.estimate, wrong / static_cast<double>(y.size()))
          << k;  // even without the term for chance
    }
}

}  // namespace leeway::error_bound::lifted_class_test
