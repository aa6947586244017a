// Bias pseudo-attributes, and the clusters that they are.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::bpa_test {

TEST(CosineKmeans, FindsDirections) {
  // four directions, rows of all lengths near them
  torch::Tensor rows = torch::eye(4).repeat({25, 1});
  rows = (rows + .05 * normal_rows({100, 4}, 1, stream("k-means test"), 0)) *
         (1 + torch::arange(100).to(torch::kFloat32).unsqueeze(1));
  for (std::uint64_t number = 0; number < 5; ++number) {
    const auto found = cosine_kmeans(rows, 4, 7, number);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(found[i], found[i % 4]);
    EXPECT_EQ(std::set(found.begin(), found.end()), (std::set<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(found, cosine_kmeans(rows, 4, 7, number));
  }
}

TEST(CosineKmeans, FewerRowsOrDirectionsThanClusters) {
  const torch::Tensor three = torch::tensor({{1.f, 0.f}, {0.f, 1.f}, {-1.f, 0.f}});
  const auto found = cosine_kmeans(three, 8, 1, 0);
  EXPECT_EQ(std::set(found.begin(), found.end()).size(), 3U);
  EXPECT_EQ(cosine_kmeans(torch::tensor({{1.f, 1.f}, {2.f, 2.f}, {5.f, 5.f}}), 8, 1, 0),
            (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(cosine_kmeans(torch::zeros({4, 3}), 2, 1, 0), (std::vector<std::int64_t>(4, 0)))
      << "no direction at all";
  EXPECT_EQ(cosine_kmeans(torch::ones({1, 3}), 8, 1, 0), std::vector<std::int64_t>{0});
}

// Sizes 3 and 1. Until row 2 had its turn clusters weigh by size; from then on as at the last refresh, after every second step.
TEST(Bpa, WeightsOfTheAuthorsProgramByHand) {
  const auto member = made("bpa", second_logit, {{"refresh", 2}, {"reference-weights", 1}});
  Tensors state = member->state();
  state["cluster"] = torch::tensor({0., 0., 0., 1.});
  state["losses"] = torch::tensor({.2, .2, -1., .8}, torch::kFloat64);
  state["weights"] = torch::tensor({1., 7.}, torch::kFloat64);
  member->restore(state, "state");
  Batch batch = batch_of(with_losses({.2, .8}), {0, 0});
  const auto loss = [&](double first, double second) {
    const double mean = (first + second) / 2, u = first / mean, v = second / mean;
    const double a = u * std::exp(.05 * u), b = v * std::exp(.05 * v);
    return (.2 * a + .8 * b) / (a + b);
  };
  const std::vector<std::int64_t> known{0, 3}, others{2, 3};
  const auto step = [&](const std::vector<std::int64_t>& rows, std::size_t number) {
    batch.rows = rows;
    return member->update({batch, {}, {}, 1, number, 100}).loss;
  };
  const auto weights = [&] { return member->state().at("weights"); };
  EXPECT_NEAR(step(known, 1), loss(1, 3), 1e-6);
  EXPECT_TRUE(weights().equal(state["weights"]));
  EXPECT_NEAR(step(known, 2), loss(1, 3), 1e-6);
  EXPECT_TRUE(weights().allclose(torch::tensor({4 / 3. * .2, 4 * .8}, torch::kFloat64), 1e-6));
  EXPECT_NEAR(step(others, 3), loss(1, 3), 1e-6);
  EXPECT_NEAR(step(known, 5), loss(4 / 3. * .2, 4 * .8), 1e-6) << "all had their turn";
}

TEST(Bpa, OneStepOfAnotherProgram) {
  for (const char* const name : {"bpa", "bpa_reference"}) {
    SCOPED_TRACE(name);
    toy::ReferenceStep step(name);
    const auto member = algorithm("bpa").make(step.setting());
    step.fill(*member);
    member->set_training(true);
    step.compare(member->update(step.batches()), member->state());
    const torch::Tensor after = torch::tensor(step.json["after"].get<std::vector<double>>(), torch::kFloat64);
    EXPECT_TRUE(member->state().at("weights").allclose(after, 1e-5, 1e-6));
  }
}

TEST(Bpa, ClustersAreOfTrainingRowsOfAClass) {
  const data::TrainingData data(toy::squares(120, 4));
  TrainOptions options;
  TrainingSet set(data, options, {}, "bpa");
  AlgorithmSetting setting;
  setting.network = make_network(architecture("small-cnn"), {1, 8, 8}, 4);
  setting.base = make_network(architecture("small-cnn"), {1, 8, 8}, 4);
  initialize(*setting.base, 3);
  setting.base->eval();
  setting.parameters = complete_parameters(algorithm("bpa"), {{"clusters", 3}});
  const auto member = algorithm("bpa").make(setting);
  member->prepare(set);
  const torch::Tensor cluster = member->state().at("cluster");
  std::map<std::int64_t, std::int64_t> label_of;
  for (const std::int64_t row : set.training()) {
    const auto number = cluster[row].item<std::int64_t>();
    const std::int64_t label = set.labels()[static_cast<std::size_t>(row)];
    EXPECT_EQ(label_of.emplace(number, label).first->second, label);
  }
  EXPECT_EQ(label_of.size(), 12U);
  EXPECT_EQ(member->state().at("weights").numel(), 12);
  for (const std::int64_t row : set.validation()) EXPECT_EQ(cluster[row].item<std::int64_t>(), -1);
}

}  // namespace leeway::nn::bpa_test
