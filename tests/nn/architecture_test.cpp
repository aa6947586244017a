#include "leeway/nn/model/architecture.h"

#include <gtest/gtest.h>

#include "leeway/core/error.h"
#include "leeway/nn/tensors.h"
#include "tests/nn/toy.h"

namespace leeway::nn {
namespace {

class EveryArchitecture : public testing::TestWithParam<std::string> {};

TEST_P(EveryArchitecture, MapsImagesToFiniteLogits) {
  const auto network = make_network(architecture(GetParam()), {3, 8, 12}, 4);
  initialize(*network, 5);
  const Forward result = network->forward(torch::rand({2, 3, 8, 12}));
  EXPECT_EQ(result.logits.sizes(), torch::IntArrayRef({2, 4}));
  EXPECT_TRUE(result.logits.isfinite().all().item<bool>());
  if (result.features.defined()) {
    EXPECT_EQ(result.features.size(0), 2);
  }
}

TEST_P(EveryArchitecture, WeightsDependOnTheSeedAlone) {
  const auto weights = [&](std::uint64_t seed) {
    const auto network = make_network(architecture(GetParam()), {1, 8, 8}, 3);
    initialize(*network, seed);
    return torch::nn::utils::parameters_to_vector(network->parameters());
  };
  EXPECT_TRUE(weights(1).equal(weights(1)));
  EXPECT_FALSE(weights(1).equal(weights(2)));
}

// A step of length .01 down the gradient, on the batch it was taken at.
TEST_P(EveryArchitecture, OneStepLowersTheLoss) {
  const Images images = toy::squares(32, 4);
  const auto network = make_network(architecture(GetParam()), shape_of(images), 4);
  initialize(*network, 5);
  const torch::Tensor x = all_pixels(images), y = to_tensor(*images.labels, 0, images.n());
  const auto loss = [&] { return torch::nn::functional::cross_entropy(network->forward(x).logits, y); };
  const torch::Tensor before = loss();
  const std::vector<torch::Tensor> weights = network->parameters();
  const auto gradients = torch::autograd::grad({before}, weights);
  double square = 0;
  for (const torch::Tensor& gradient : gradients) square += gradient.square().sum().item<double>();
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weights.size(); ++i)
    torch::Tensor(weights[i]).sub_(gradients[i], .01 / std::sqrt(square));
  EXPECT_LT(loss().item<double>(), before.item<double>());
}

// Where a network has its own way to the gradients of many classes, they are those of automatic differentiation.
TEST_P(EveryArchitecture, TakesClassesAtOnceAsOneByOne) {
  const auto network = make_network(architecture(GetParam()), {3, 9, 14}, 4);
  initialize(*network, 5);
  network->eval();
  const torch::Tensor x = torch::rand({3, 3, 9, 14}).requires_grad_();
  const torch::Tensor classes = torch::tensor({{0, 3}, {2, 2}, {1, 0}}, torch::kInt64);
  const Network::Jacobian found = network->jacobian(x.detach(), classes);
  if (!found.gradients.defined()) return;
  const torch::Tensor logits = network->forward(x).logits, chosen = logits.gather(1, classes);
  EXPECT_TRUE(torch::allclose(found.logits, logits, 1e-5, 1e-6));
  for (std::int64_t j = 0; j < 2; ++j)
    EXPECT_TRUE(torch::allclose(found.gradients.select(1, j),
                                torch::autograd::grad({chosen.select(1, j).sum()}, {x}, {}, true)[0], 1e-5,
                                1e-6));
}

TEST_P(EveryArchitecture, NamesTheTensorThatTellsTheClasses) {
  const auto network = make_network(architecture(GetParam()), {1, 8, 8}, 7);
  EXPECT_EQ(network->named_parameters()[std::string(architecture(GetParam()).output)].size(0), 7);
}

TEST_P(EveryArchitecture, RefusesOneClassAndNoPixels) {
  EXPECT_THROW((void)make_network(architecture(GetParam()), {1, 8, 8}, 1), Error);
  EXPECT_THROW((void)make_network(architecture(GetParam()), {1, 0, 8}, 2), Error);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Architecture& one : architectures()) names.emplace_back(one.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryArchitecture, testing::ValuesIn(all_names()), [](const auto& instance) {
  std::string name = instance.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// conv 1*16*16+16, conv 16*32*16+32, linear 32*7*7*100+100, linear 100*10+10 = 272 + 8224 + 156900 + 1010
TEST(SmallCnn, Has166406WeightsOn28By28) {
  EXPECT_EQ(count_weights(*make_network(architecture("small-cnn"), {1, 28, 28}, 10)), 166406U);
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

TEST(ArchitectureByName, ListsTheNames) {
  EXPECT_EQ(message_of([] { (void)architecture("resnet"); }),
            "architecture: expected one of linear, small-cnn, resnet20-cifar, resnet32-cifar, "
            "resnet44-cifar, resnet56-cifar, resnet110-cifar, found 'resnet'");
}

}  // namespace
}  // namespace leeway::nn
