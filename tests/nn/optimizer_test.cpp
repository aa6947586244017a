// Steps of gradients against LibTorch's own, and the learning rate's course by hand.
#include "leeway/nn/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/nn/training.h"

namespace leeway::nn::optimizer_test {

// LibTorch's own on the same gradients, 20 steps, the last ten from the state of the first.
template <class Reference, class Options>
void expect_steps_of(const OptimizerOptions& options, const Options& same) {
  torch::manual_seed(3);
  torch::Tensor ours = torch::randn({7, 5}), theirs = ours.clone().requires_grad_();
  auto optimizer = make_optimizer(options, {ours});
  Reference reference({theirs}, same);
  for (int step = 0; step < 20; ++step) {
    if (step == 10) {
      const Tensors state = optimizer->state();
      optimizer = make_optimizer(options, {ours});
      optimizer->restore(state, "state");
    }
    const torch::Tensor gradient = torch::randn({7, 5});
    optimizer->step({gradient});
    theirs.mutable_grad() = gradient;
    reference.step();
  }
  EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-6) << options.kind;
}

TEST(Optimizers, AgreeWithLibTorch) {
  const auto sgd = torch::optim::SGDOptions(.01).weight_decay(.1).momentum(.8);
  expect_steps_of<torch::optim::SGD>({"sgd", .01, .1, .8}, sgd);
  expect_steps_of<torch::optim::SGD>({"nesterov", .01, .1, .8}, torch::optim::SGDOptions(sgd).nesterov(true));
  expect_steps_of<torch::optim::AdamW>({"adam", .01, .1}, torch::optim::AdamWOptions(.01).weight_decay(.1));
  expect_steps_of<torch::optim::Adam>(
      {.kind = "adam", .learning_rate = .01, .weight_decay = .1, .coupled = true},
      torch::optim::AdamOptions(.01).weight_decay(.1));
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

}  // namespace leeway::nn::optimizer_test
