#include "leeway/error_bound/detail/critic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/imitation.h"
#include "tests/at_threads.h"
#include "tests/error_bound/samples.h"

namespace leeway::error_bound::critic_test {

CriticRows random_rows(std::size_t n_source, std::size_t n_target, std::size_t d, std::size_t k) {
  CriticRows rows(n_source, n_target, d, k);
  Random random(3, stream("critic test"), d * 1000 + k);
  for (std::size_t i = 0; i < rows.n(); ++i) {
    for (std::size_t j = 0; j < d; ++j) rows.at_row(i, j) = static_cast<float>(random.normal());
    rows.y[i] = static_cast<std::int32_t>(random.below(k));
  }
  return rows;
}

// All numbers but every `every`th are 0.
std::vector<float> random_theta(const CriticRows& rows, std::uint64_t sample, std::size_t every = 1) {
  std::vector<float> theta(rows.parameters());
  Random random(4, stream("critic test"), sample);
  for (std::size_t c = 0; c < rows.k; ++c)
    for (std::size_t j = 0; j <= rows.d; ++j)
      if (const double value = random.normal(); (c + j) % every == 0)
        theta[rows.at(j, c)] = static_cast<float>(value);
  return theta;
}

std::vector<double> naive_scores(const CriticRows& rows, std::span<const float> theta, std::size_t i) {
  std::vector<double> f(rows.k);
  for (std::size_t c = 0; c < rows.k; ++c)
    for (std::size_t j = 0; j <= rows.d; ++j)
      f[c] += double(rows.at_row(i, j)) * double(theta[rows.at(j, c)]);
  return f;
}

double naive_loss(const CriticRows& rows, std::span<const float> theta, Objective objective, std::size_t i) {
  const std::vector<double> f = naive_scores(rows, theta, i);
  const auto y = static_cast<std::size_t>(rows.y[i]);
  double all = 0, others = 0, sum = 0;
  for (std::size_t c = 0; c < rows.k; ++c) {
    all += std::exp(f[c]);
    if (c != y) others += std::exp(f[c]), sum += f[c];
  }
  const double p = std::exp(f[y]) / all;
  const bool source = i < rows.n_source;
  if (objective == Objective::smooth) return source ? -p : p;
  if (source) return -std::log(p);
  if (objective == Objective::chuang) return std::log(p);
  const double m =
      f[y] - (objective == Objective::d_bat ? std::log(others) : sum / static_cast<double>(rows.k - 1));
  return std::log2(1 + std::exp(m));
}

class Objectives : public ::testing::TestWithParam<Objective> {};

TEST_P(Objectives, ValueAndGradientAreThoseOfAPlainLoop) {
  for (const auto& [d, k, every] : {std::array<std::size_t, 3>{2, 2, 1},
                                    {7, 3, 1},
                                    {8, 16, 1},
                                    {8, 16, 6},
                                    {19, 37, 1},
                                    {19, 37, 19},
                                    {70, 50, 1},
                                    {70, 50, 5}}) {
    const CriticRows rows = random_rows(150, 131, d, k);
    std::vector<float> theta = random_theta(rows, 1, every);
    std::vector<float> weights(rows.n());
    for (std::size_t i = 0; i < rows.n(); ++i) weights[i] = .01f * static_cast<float>(1 + i % 3);
    const auto naive = [&] {
      double total = 0;
      for (std::size_t i = 0; i < rows.n(); ++i)
        total += double(weights[i]) * naive_loss(rows, theta, GetParam(), i);
      return total;
    };
    const Evaluation found = evaluate(rows, theta, GetParam(), weights);
    EXPECT_NEAR(found.value, naive(), 2e-5 * (1 + std::abs(naive())));
    for (const std::size_t c : {std::size_t{0}, k - 1})
      for (const std::size_t j : {std::size_t{0}, d}) {
        float& parameter = theta[rows.at(j, c)];
        const float before = parameter;
        parameter = before + .01f;
        const double up = naive(), high = parameter;
        parameter = before - .01f;
        const double down = naive(), low = parameter;
        parameter = before;
        EXPECT_NEAR(found.gradient[rows.at(j, c)], (up - down) / (high - low), 1e-3) << d << ' ' << k;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Objectives,
                         ::testing::Values(Objective::logistic, Objective::d_bat, Objective::chuang,
                                           Objective::smooth));

TEST(Critic, TiesGoToTheLowestClass) {
  CriticRows rows = random_rows(3, 3, 2, 3);
  rows.y = {0, 1, 2, 0, 0, 1};
  const Agreement tied = agreement(rows, std::vector<float>(rows.parameters()));
  EXPECT_EQ(tied.source, 1u);
  EXPECT_EQ(tied.target, 2u);
  EXPECT_NEAR(discrepancy(tied, rows), 1. / 3 - 2. / 3, 1e-15);
}

TEST(Critic, AgreementIsThatOfAPlainLoopAtAnyNumberOfThreads) {
  const CriticRows rows = random_rows(1500, 1400, 5, 20);
  const std::vector<float> theta = random_theta(rows, 2), weights(rows.n(), .01f);
  Agreement naive;
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const std::vector<double> f = naive_scores(rows, theta, i);
    const bool agrees = std::ranges::max_element(f) - f.begin() == rows.y[i];
    (i < rows.n_source ? naive.source : naive.target) += agrees;
  }
  const auto work = [&] { return evaluate(rows, theta, Objective::logistic, weights); };
  const Evaluation one = at_threads(1, work), three = at_threads(3, work);
  const Agreement agreed = agreement_of(rows.n_source, one.agreed);
  EXPECT_EQ(agreed.source, naive.source);
  EXPECT_EQ(agreed.target, naive.target);
  EXPECT_EQ(one.value, three.value);
  EXPECT_EQ(one.gradient, three.gradient);
}

TEST(Critic, BestStepIsTheBestOfAFineGrid) {
  for (const auto& [k, every] : {std::pair<std::size_t, std::size_t>{2, 1}, {3, 1}, {20, 1}, {20, 9}}) {
    const CriticRows rows = random_rows(40, 30, 4, k);
    const std::vector<float> theta = random_theta(rows, 5, every), direction = random_theta(rows, 6, every);
    const double here = discrepancy(agreement(rows, theta), rows);
    const auto at = [&](float step) {
      std::vector<float> moved = theta;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * direction[i];
      return discrepancy(agreement(rows, moved), rows);
    };
    double best = here;
    for (int i = -20000; i <= 20000; ++i) best = std::max(best, at(static_cast<float>(std::sinh(i * 4e-4))));
    const BestStep found = best_step(rows, theta, direction);
    EXPECT_NEAR(at(found.step), here + found.gain, 1e-12);
    EXPECT_GE(here + found.gain, best - 1e-12);
  }
}

Dis2Options seeing(Representation::Kind kind, std::size_t components = 0) {
  Dis2Options options;
  options.representation = {kind, components, 0};
  return options;
}

double source_agreement(const CriticData& data, const std::vector<float>& theta) {
  return static_cast<double>(agreement(*data.holdout.kept, theta).source) /
         static_cast<double>(data.holdout.n_source);
}

// Features of unlike units; the logits are linear in them, with a bias, and a different constant for every row.
Sample with_features(std::size_t n, std::size_t k, std::size_t d, double shift, std::uint64_t number) {
  Random head(1, stream("head")), random(2, stream("features"), number);
  std::vector<double> weights((d + 1) * k), features(n * d), logits(n * k);
  for (double& weight : weights) weight = head.normal();
  for (std::size_t i = 0; i < n; ++i) {
    const double constant = 100 * random.normal();
    for (std::size_t c = 0; c < k; ++c) logits[i * k + c] = constant + weights[d * k + c];
    for (std::size_t j = 0; j < d; ++j) {
      const double value = random.normal() + shift;
      features[i * d + j] = (j % 2 == 0 ? 1e3 : 1e-2) * value - 7;
      for (std::size_t c = 0; c < k; ++c) logits[i * k + c] += weights[j * k + c] * value;
    }
  }
  return {"made", make_array<double>({n, k}, std::move(logits)), std::vector<std::int64_t>(n, 0),
          make_array<double>({n, d}, std::move(features))};
}

TEST(Imitation, OfLogitsIsTheClassifier) {
  const Sample source = drawn(300, 12, 2, 1), target = drawn(200, 12, 1, 2);
  const CriticData data =
      critic_data(source, target, seeing(Representation::Kind::logits), Scaling::standard);
  const std::vector<float> theta = imitation(data, source, target, Representation::Kind::logits);
  EXPECT_EQ(source_agreement(data, theta), 1);
  EXPECT_EQ(agreement(data.training, theta).target, data.training.n_target);
}

// (I + c R / sqrt(k)) theta, product by product.
TEST(Neighbour, MixesTheScoresOfClasses) {
  const CriticRows rows(1, 1, 5, 20);
  std::vector<float> theta(rows.parameters());
  Random draws(3, stream("theta")), random(4, stream("mixing")), again(4, stream("mixing"));
  for (std::size_t j = 0; j <= rows.d; ++j)
    for (std::size_t c = 0; c < rows.k; ++c) theta[rows.at(j, c)] = static_cast<float>(draws.normal());
  const std::vector<float> found = neighbour(rows, theta, .7, random);
  std::vector<double> mixing(rows.k * rows.k);
  for (double& value : mixing) value = again.normal();
  for (std::size_t j = 0; j <= rows.d; ++j)
    for (std::size_t a = 0; a < rows.k; ++a) {
      double expected = theta[rows.at(j, a)];
      for (std::size_t b = 0; b < rows.k; ++b)
        expected += .7 / std::sqrt(20.) * mixing[a * rows.k + b] * theta[rows.at(j, b)];
      EXPECT_NEAR(found[rows.at(j, a)], expected, 1e-5);
    }
  EXPECT_EQ(neighbour(rows, theta, 0, random), theta);
}

// Beyond 64 classes R has 16 entries a row; what it adds has the same size.
TEST(Neighbour, OfManyClassesAddsAsMuch) {
  const CriticRows rows(1, 1, 3, 500);
  std::vector<float> theta(rows.parameters());
  Random draws(3, stream("theta")), random(4, stream("mixing"));
  for (std::size_t c = 0; c < rows.k; ++c)
    for (std::size_t j = 0; j <= rows.d; ++j) theta[rows.at(j, c)] = static_cast<float>(draws.normal());
  const std::vector<float> found = neighbour(rows, theta, .7, random);
  double squares = 0;
  for (std::size_t i = 0; i < theta.size(); ++i) squares += std::pow(double(found[i]) - double(theta[i]), 2);
  EXPECT_NEAR(squares / static_cast<double>(rows.k * (rows.d + 1)), .49, .05);
}

TEST(Imitation, OfFeaturesFindsAHeadThatIsLinear) {
  const Sample source = with_features(300, 20, 12, 0, 1), target = with_features(200, 20, 12, 1, 2);
  const CriticData data =
      critic_data(source, target, seeing(Representation::Kind::features), Scaling::standard);
  const auto work = [&] { return imitation(data, source, target, Representation::Kind::features); };
  const std::vector<float> theta = work();
  EXPECT_GE(source_agreement(data, theta), .99);
  EXPECT_EQ(theta, at_threads(3, work));
}

// Fewer rows than columns, a constant column, and components that hold little of the logits: an answer, if no good one.
TEST(Imitation, AnswersWhereThereIsNoHead) {
  const Sample source = with_features(20, 3, 60, 0, 1), target = with_features(10, 3, 60, 0, 2);
  for (const auto kind : {Representation::Kind::features, Representation::Kind::pca}) {
    const CriticData data = critic_data(source, target, seeing(kind, 2), Scaling::standard);
    for (const float value : imitation(data, source, target, kind)) EXPECT_TRUE(std::isfinite(value));
  }
}

}  // namespace leeway::error_bound::critic_test
