// Steps of gradients against LibTorch's own, and the learning rate's course by hand.
#include "leeway/nn/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/nn/training.h"

namespace leeway::nn {
namespace {

// LibTorch's own on the same gradients, 10 steps.
TEST(Sgd, AgreesWithLibTorch) {
  for (const bool nesterov : {false, true}) {
    torch::manual_seed(3);
    torch::Tensor ours = torch::randn({7, 5}), theirs = ours.clone().requires_grad_();
    const auto sgd = make_optimizer({"sgd", .01, .1, .8, nesterov}, {ours});
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

// Biases and scales do not shrink: the same steps as without a decay.
TEST(Decay, MayBeOfKernelsAlone) {
  for (const char* const kind : {"sgd", "adam"})
    for (const bool coupled : {false, true}) {
      const auto after = [&](double decay, bool kernels) {
        torch::manual_seed(3);
        OptimizerOptions options{kind, .01, decay};
        options.coupled = coupled, options.kernels = kernels;
        torch::Tensor matrix = torch::randn({7, 5}), bias = torch::randn({7});
        const auto optimizer = make_optimizer(options, {matrix, bias});
        for (int step = 0; step < 5; ++step) optimizer->step({torch::randn({7, 5}), torch::randn({7})});
        return std::pair(matrix, bias);
      };
      const auto none = after(0, false), all = after(.1, false), kernels = after(.1, true);
      EXPECT_TRUE(kernels.first.equal(all.first));
      EXPECT_TRUE(kernels.second.equal(none.second));
      EXPECT_FALSE(all.second.equal(none.second));
    }
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
  EXPECT_EQ(Schedule("ahead,cosine").factor(50, 100, 1), Schedule("cosine").factor(51, 100, 1));
  EXPECT_EQ(Schedule("linear:0.5,ahead").factor(50, 100, 1), Schedule("linear:0.5").factor(51, 100, 1));
  for (const std::string text : {"ahead", "ahead,step:3", "cosine:100,ahead"})
    EXPECT_EQ(message_of([&] { (void)Schedule(text); }),
              "train: schedule: expected one that goes by steps beside ahead: cosine, cosine-part, inverse "
              "or linear, found '" +
                  text + "'");
  const Schedule linear("linear:0.5");
  EXPECT_NEAR(linear.factor(1, 9, 1), .2, 1e-12);
  EXPECT_NEAR(linear.factor(5, 9, 1), 1, 1e-12);
  EXPECT_NEAR(linear.factor(9, 9, 1), .2, 1e-12);
  EXPECT_EQ(Schedule("every:20:0.5").factor(1, 9, 20), 1);
  EXPECT_EQ(Schedule("every:20:0.5").factor(1, 9, 21), .5);
  EXPECT_EQ(Schedule("every:20:0.5").factor(1, 9, 60), .25);
  EXPECT_NEAR(Schedule("cosine:100").factor(1, 9, 51), .5, 1e-12);
  EXPECT_NEAR(Schedule("cosine:100").factor(9, 9, 101), 0, 1e-12);
  EXPECT_NEAR(Schedule("cosine:100").factor(9, 9, 150), 0, 1e-12);
  EXPECT_NEAR(Schedule("cosine-part:0.4375").factor(101, 200, 1), std::cos(7 * std::numbers::pi / 32), 1e-12);
  EXPECT_NEAR(Schedule("inverse:20").factor(101, 200, 1), std::pow(11, -.75), 1e-12);
  EXPECT_NEAR(Schedule("warm-up:5").factor(1, 9, 2), .4, 1e-12);
  EXPECT_EQ(Schedule("warm-up:5").factor(1, 9, 9), 1);
  EXPECT_NEAR(Schedule("warm-up:5,step:1,exponential:0.5").factor(1, 9, 3), .6 * .1 * .25, 1e-12);
  for (const char* text : {"", "constant:1", "cosine:", "linear", "linear:1", "step", "step:0",
                           "exponential:x", "warm", "every:2", "every:0:1", "every:2:0", "cosine:0",
                           "cosine:1:2", "warm-up:", "cosine,", ",", "cosine,,cosine"})
    EXPECT_EQ(message_of([&] { (void)Schedule(text); }),
              std::string("train: schedule: expected one of constant, cosine, cosine:EPOCHS, "
                          "cosine-part:SHARE, inverse, inverse:SLOPE, "
                          "linear:WARM-UP, step:EPOCH:EPOCH..., exponential:FACTOR, every:EPOCHS:FACTOR, "
                          "warm-up:EPOCHS, ahead, found '") +
                  text + "'");
}

}  // namespace
}  // namespace leeway::nn
