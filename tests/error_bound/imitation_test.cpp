#include "leeway/error_bound/detail/imitation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/random.h"
#include "tests/at_threads.h"
#include "tests/error_bound/samples.h"

namespace leeway::error_bound {
namespace {

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

}  // namespace
}  // namespace leeway::error_bound
