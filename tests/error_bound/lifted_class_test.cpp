#include "leeway/error_bound/detail/lifted_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "leeway/core/random.h"

namespace leeway::error_bound {
namespace {

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

}  // namespace
}  // namespace leeway::error_bound
