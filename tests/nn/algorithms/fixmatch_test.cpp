#include <gtest/gtest.h>

#include <cmath>

#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

Step fixmatch_step(double confidence) {
  const auto member = made("fixmatch", torch::eye(2), {{"confidence", confidence}});
  Minibatches batches{batch_of(torch::tensor({{1.f, 0.f}}), {0})};
  batches.unlabelled.views = {as_images(torch::tensor({{3.f, 0.f}, {0.f, 0.f}})),
                              as_images(torch::tensor({{1.f, 0.f}, {0.f, 5.f}}))};
  return member->update(batches);
}

// Weak logits (3,0) and (0,0): confidences .9526 and .5. Strong ones (1,0) and (0,5).
TEST(FixMatch, ThresholdByHand) {
  const Step none = fixmatch_step(1.5);
  EXPECT_EQ(none.parts.at("kept"), 0);
  EXPECT_NEAR(none.loss, std::log1p(std::exp(-1)), 1e-6) << "that of the labelled image";
  EXPECT_EQ(fixmatch_step(.5).parts.at("kept"), 1) << "a confidence that is just enough counts";
}

TEST(FixMatch, KeepsTheAverageOfTheWeights) {
  AlgorithmSetting setting = still("fixmatch", torch::eye(2), {{"averaging", .75}, {"weight", 0}});
  setting.optimizer.learning_rate = .1;
  const auto member = algorithm("fixmatch").make(setting);
  (void)member->update({batch_of(torch::tensor({{1.f, 0.f}}), {0})});
  const Tensors state = member->state();
  const torch::Tensor expected = .75 * torch::eye(2) + .25 * state.at("network.weight");
  EXPECT_TRUE(torch::allclose(state.at("average.weight"), expected));
  EXPECT_TRUE(member->network().named_parameters()["weight"].equal(state.at("average.weight")));
  EXPECT_FALSE(torch::allclose(state.at("network.weight"), torch::eye(2)));
}

// Guesses of a pass in training mode: batch statistics take .1 of the weak images, then of the others; or of all of them.
TEST(FixMatch, GuessesInTrainingModeWhereAskedFor) {
  const torch::Tensor x = torch::rand({3, 1, 2, 3}), weak = torch::rand({4, 1, 2, 3}),
                      strong = torch::rand({4, 1, 2, 3});
  for (const double training : {0., 1., 2.}) {
    AlgorithmSetting setting;
    const auto network = std::make_shared<toy::TinyNetwork>(6, 2, true);
    initialize(*network, 3);
    setting.network = network;
    setting.parameters = complete_parameters(algorithm("fixmatch"), {{"pseudo-label-pass", training}});
    setting.optimizer.learning_rate = 0;
    const auto member = algorithm("fixmatch").make(setting);
    member->set_training(true);
    Minibatches batches{Batch{x, torch::tensor({0, 1, 1})}};
    batches.unlabelled.views = {weak, strong};
    (void)member->update(batches);
    const Tensors state = member->state();
    const auto mean = [&](const torch::Tensor& images) { return toy::hidden_of(state, images).mean(0); };
    const torch::Tensor both =
        .1 * mean(training == 2 ? torch::cat({x, strong, weak}) : torch::cat({x, strong}));
    EXPECT_TRUE(state.at("network.norm.running_mean")
                    .allclose(training != 1 ? both : .09 * mean(weak) + both, 1e-4, 1e-6));
    EXPECT_TRUE(network->is_training());
  }
}

}  // namespace
}  // namespace leeway::nn
