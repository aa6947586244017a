// Steps of gradients against LibTorch's own, and the learning rate's course by hand.
#include "leeway/nn/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/nn/training.h"

namespace leeway::nn {
namespace {

// LibTorch's own on the same gradients, 10 steps.
TEST(Sgd, AgreesWithLibTorch) {
  for (const bool nesterov : {false, true}) {
    torch::manual_seed(3);
    torch::Tensor ours = torch::randn({7, 5}), theirs = ours.clone().requires_grad_();
    const auto sgd = make_optimizer({nesterov ? "nesterov" : "sgd", .01, .1, .8}, {ours});
    torch::optim::SGD reference(
        {theirs}, torch::optim::SGDOptions(.01).weight_decay(.1).momentum(.8).nesterov(nesterov));
    for (int step = 0; step < 10; ++step) {
      const torch::Tensor gradient = torch::randn({7, 5});
      sgd->step({gradient});
      theirs.mutable_grad() = gradient;
      reference.step();
    }
    EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-6);
  }
}

TEST(Adam, CoupledDecayIsThatOfLibTorch) {
  torch::manual_seed(3);
  torch::Tensor ours = torch::randn({7, 5}), theirs = ours.clone().requires_grad_();
  OptimizerOptions options{"adam", .01, .1};
  options.coupled = true;
  const auto adam = make_optimizer(options, {ours});
  torch::optim::Adam reference({theirs}, torch::optim::AdamOptions(.01).weight_decay(.1));
  for (int step = 0; step < 20; ++step) {
    const torch::Tensor gradient = torch::randn({7, 5});
    adam->step({gradient});
    theirs.mutable_grad() = gradient;
    reference.step();
  }
  EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-6);
}

TEST(Schedule, ByHand) {
  EXPECT_EQ(Schedule("constant").factor(70, 100, 8), 1);
  EXPECT_EQ(Schedule("cosine").factor(1, 100, 1), 1);
  EXPECT_NEAR(Schedule("cosine").factor(51, 100, 1), .5, 1e-12);
  EXPECT_NEAR(Schedule("inverse").factor(101, 200, 1), std::pow(6, -.75), 1e-12);
  EXPECT_EQ(Schedule("step:2:4").factor(1, 100, 2), 1);
  EXPECT_EQ(Schedule("step:2:4").factor(1, 100, 3), .1);
  EXPECT_NEAR(Schedule("step:2:4").factor(1, 100, 5), .01, 1e-12);
  EXPECT_NEAR(Schedule("exponential:0.96").factor(9, 10, 3), .96 * .96, 1e-12);
  const Schedule linear("linear:0.5");
  EXPECT_NEAR(linear.factor(1, 9, 1), .2, 1e-12);
  EXPECT_NEAR(linear.factor(5, 9, 1), 1, 1e-12);
  EXPECT_NEAR(linear.factor(9, 9, 1), .2, 1e-12);
  EXPECT_NEAR(Schedule("warm-up:5").factor(1, 9, 2), .4, 1e-12);
  EXPECT_EQ(Schedule("warm-up:5").factor(1, 9, 9), 1);
  EXPECT_NEAR(Schedule("warm-up:5,step:1,exponential:0.5").factor(1, 9, 3), .6 * .1 * .25, 1e-12);
  for (const char* text :
       {"", "constant:1", "cosine:", "linear", "linear:1", "step", "step:0", "exponential:x", "warm",
        "cosine:1", "inverse:1", "warm-up:", "cosine,", ",", "cosine,,cosine"})
    EXPECT_TRUE(message_of([&] { (void)Schedule(text); }).ends_with(std::string(", found '") + text + "'"))
        << text;
}

}  // namespace
}  // namespace leeway::nn
