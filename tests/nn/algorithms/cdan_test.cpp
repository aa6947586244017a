// CDAN: its map and its weights.
#include <gtest/gtest.h>

#include "leeway/nn/train/domain_adversarial.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::cdan_test {

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

}  // namespace leeway::nn::cdan_test
