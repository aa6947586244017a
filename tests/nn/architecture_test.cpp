#include "leeway/nn/model/architecture.h"

#include <gtest/gtest.h>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "tests/nn/toy.h"

namespace leeway::nn::architecture_test {

TEST(Initialize, DependsOnTheSeedAlone) {
  for (const char* const name : {"small-cnn-bn", "resnet20-cifar", "vit"}) {
    const auto network = make_network(architecture(name), {1, 8, 8}, 2);
    const auto weights = [&](std::uint64_t seed) {
      initialize(*network, seed);
      return torch::nn::utils::parameters_to_vector(network->parameters());
    };
    const torch::Tensor first = weights(1);
    EXPECT_FALSE(first.equal(weights(2))) << name;
    EXPECT_TRUE(first.equal(weights(1))) << name;
  }
}

// The bound of a layer with 16 inputs is 1/4, for its weights and for its bias.
TEST(Initialize, KeepsWithinOneOverTheRootOfTheInputs) {
  const auto network = make_network(architecture("linear"), {1, 4, 4}, 200);
  initialize(*network, 1);
  for (const auto& item : network->named_parameters()) {
    const double largest = item.value().abs().max().item<double>();
    EXPECT_LE(largest, .25) << item.key();
    EXPECT_GT(largest, .2) << item.key();
  }
}

TEST(ArchitectureInput, IsRefusedWhereThereIsNone) {
  for (const Architecture& one : architectures()) {
    EXPECT_THROW((void)make_network(one, {1, 240, 240}, 1), Error) << one.name;
    EXPECT_THROW((void)make_network(one, {0, 240, 240}, 2), Error) << one.name;
    EXPECT_THROW((void)make_network(one, {1, 0, 240}, 2), Error) << one.name;
  }
}

TEST(ArchitectureInput, IsRefusedWhereTooSmallOrUneven) {
  EXPECT_EQ(message_of([] {
              (void)make_network(architecture("densenet121"), {3, 40, 28}, 10);
            }),
            "architecture densenet121: expected images of at least 29 x 29 pixels and one channel, found (3, "
            "40, 28)");
  EXPECT_EQ(message_of([] {
              (void)make_network(architecture("vit"), {3, 32, 30}, 10);
            }),
            "architecture vit: expected images whose height and width are multiples of 4 pixels, found (3, "
            "32, 30)");
}

TEST(ArchitectureByName, ListsTheNames) {
  EXPECT_EQ(message_of([] { (void)architecture("resnet"); }),
            "architecture: expected one of " + names_of(architectures()) +
                ", found 'resnet'; did you mean resnet20-cifar?");
}

}  // namespace leeway::nn::architecture_test
