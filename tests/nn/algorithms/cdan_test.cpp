// CDAN: its map and its weights.
#include <gtest/gtest.h>

#include "leeway/nn/train/conditional_map.h"
#include "leeway/nn/train/domain_adversarial.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

TEST(Cdan, TheOuterProductMultipliesInnerProducts) {
  const torch::Tensor f = torch::tensor({{1.f, 2.f, -1.f}, {.5f, 0.f, 3.f}}),
                      p = torch::tensor({{.2f, .8f}, {.7f, .3f}});
  const torch::Tensor t = outer_product(f, p);
  EXPECT_TRUE(t[0].allclose(torch::tensor({.2f, .4f, -.2f, .8f, 1.6f, -.8f}))) << "the first class first";
  EXPECT_NEAR(t[0].dot(t[1]).item<double>(), f[0].dot(f[1]).item<double>() * p[0].dot(p[1]).item<double>(),
              1e-6);
  EXPECT_TRUE(outer_product(f, torch::ones({2, 1})).equal(f)) << "of one class: as DANN";
  // of the random map, in the mean: a hundred maps of 1000 numbers
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const torch::Tensor r = RandomMap(3, 2, 1000, seed).forward(f, p);
    sum += r[0].dot(r[1]).item<double>() / 100;
  }
  EXPECT_NEAR(sum, t[0].dot(t[1]).item<double>(), .1);
}

// A linear D with weights a_k on p_k f: dL/df = -c (D - t) sum_k p_k a_k, and nothing for the logits.
TEST(Cdan, GradientsThroughTheProductByHand) {
  const torch::Tensor f = torch::tensor({{1.f, 2.f, -1.f}}).requires_grad_(),
                      logits = torch::tensor({{.3f, -.9f}}).requires_grad_(),
                      a = torch::tensor({{.5f, -.2f, .1f}, {.7f, .4f, -.6f}});
  const torch::Tensor p = logits.softmax(1);
  const double c = .4, t = 1;
  const torch::Tensor d = torch::sigmoid(reversed(outer_product(f, p.detach()), c).mv(a.flatten()));
  const auto gradients = torch::autograd::grad({-(t * d.log() + (1 - t) * (1 - d).log()).sum()}, {f, logits},
                                               {}, c10::nullopt, false, true);
  EXPECT_TRUE(gradients[0].allclose(-c * (d - t).detach() * p.detach().mm(a), 1e-4, 1e-6));
  EXPECT_FALSE(gradients[1].defined());
}

AlgorithmSetting cdan_of_tiny_network(std::map<std::string, double> given, std::uint64_t seed) {
  toy::ReferenceStep step("cdan");
  AlgorithmSetting setting = step.setting();
  initialize(*setting.network, 1);
  setting.seed = seed;
  setting.parameters = complete_parameters(algorithm("cdan"), given);
  return setting;
}

TEST(Cdan, ARandomMapIsKeptInTheState) {
  const auto make = [](std::uint64_t seed) {
    return algorithm("cdan").make(cdan_of_tiny_network({{"map", 1}, {"random-dim", 8}}, seed));
  };
  const auto first = make(3), again = make(3), other = make(4);
  EXPECT_TRUE(first->state().at("map.features").equal(again->state().at("map.features")));
  EXPECT_FALSE(first->state().at("map.classes").equal(other->state().at("map.classes")));
  other->restore(first->state(), "state");
  EXPECT_TRUE(first->state().at("map.classes").equal(other->state().at("map.classes")));
  const Tensors outer = algorithm("cdan").make(cdan_of_tiny_network({}, 3))->state();
  EXPECT_FALSE(outer.contains("map.classes")) << "15 numbers are few enough";
  EXPECT_EQ(outer.at("discriminator.0.weight").size(1), 15);
}

// Equal predictions are equally sure.
TEST(Cdan, OfUniformPredictionsConditioningChangesNothing) {
  std::vector<double> losses;
  for (const double conditioning : {0., 1.}) {
    toy::ReferenceStep step("cdan");
    AlgorithmSetting setting =
        cdan_of_tiny_network({{"entropy-conditioning", conditioning}, {"dropout", 0}}, 3);
    const torch::NoGradGuard no_grad;
    for (auto& item : setting.network->named_parameters())
      if (item.key().starts_with("last.")) item.value().zero_();
    const auto member = algorithm("cdan").make(setting);
    Minibatches batches = step.batches();
    batches.labelled = batches.labelled.slice(0, 6);  // as many as of the target
    const torch::AutoGradMode grad(true);
    losses.push_back(member->update(batches).parts.at("domain_loss"));
  }
  EXPECT_NEAR(losses[1], losses[0], 1e-6);
}

// A bottleneck learns as fast as the last layer.
TEST(Cdan, OnlyTheBackboneLearnsSlowlyFromGivenWeights) {
  TrainOptions options = quick("cdan");
  options.architecture = "bottleneck:small-cnn";
  options.learning_rate = .01;
  const auto moved = moved_from_given_weights(squares_of_two_cameras(100), options);
  EXPECT_NEAR(moved.at("classifier.bias"), .01, 1e-4);  // Adam's first step has the length of the rate
  EXPECT_NEAR(moved.at("bottleneck.bias"), .01, 1e-4);
  EXPECT_NEAR(moved.at("backbone.5.bias"), .001, 1e-5);
}

}  // namespace
}  // namespace leeway::nn
