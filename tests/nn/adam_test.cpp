#include "leeway/nn/train/adam.h"

#include <gtest/gtest.h>

namespace leeway::nn {
namespace {

// LibTorch's own AdamW on the same gradients, 20 steps.
TEST(Adam, AgreesWithLibTorch) {
  torch::manual_seed(3);
  torch::Tensor ours = torch::randn({7, 5}), theirs = ours.clone().requires_grad_();
  Adam adam({ours}, {"adam", .01, .1});
  torch::optim::AdamW reference({theirs}, torch::optim::AdamWOptions(.01).weight_decay(.1));
  for (int step = 0; step < 20; ++step) {
    const torch::Tensor gradient = torch::randn({7, 5});
    adam.step({gradient});
    theirs.mutable_grad() = gradient;
    reference.step();
  }
  EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-6);
}

// First step: m / (1 - b1) = g and v / (1 - b2) = g^2, so every weight moves by lr against the sign of g.
TEST(Adam, FirstStepHasTheLengthOfTheLearningRate) {
  torch::Tensor weights = torch::tensor({1.f, 1.f, 1.f});
  Adam adam({weights}, {"adam", .5, 0});
  adam.step({torch::tensor({3.f, -.01f, 0.f})});
  EXPECT_TRUE(torch::allclose(weights, torch::tensor({.5f, 1.5f, 1.f}), 0, 1e-5));
}

TEST(Adam, ContinuesFromRestoredMoments) {
  torch::manual_seed(4);
  const torch::Tensor first = torch::randn({9}), second = torch::randn({9});
  torch::Tensor straight = torch::ones({9}), broken = torch::ones({9});
  Adam one({straight}, {"adam", .1, 0});
  one.step({first});
  one.step({second});
  Adam before({broken}, {"adam", .1, 0}), after({broken}, {"adam", .1, 0});
  before.step({first});
  after.restore(before.state(), "state");
  after.step({second});
  EXPECT_TRUE(straight.equal(broken));
}

}  // namespace
}  // namespace leeway::nn
