#include "leeway/nn/model/architecture.h"

#include <gtest/gtest.h>

#include "leeway/core/error.h"
#include "leeway/nn/detail/tensors.h"
#include "tests/nn/toy.h"

namespace leeway::nn {
namespace {

class EveryArchitecture : public testing::TestWithParam<std::string> {
 protected:
  // The smallest legal side from `wanted` on.
  static std::size_t side(std::size_t wanted) {
    const Architecture& one = architecture(GetParam());
    const std::size_t least = std::max(wanted, one.least_side);
    return (least + one.side_step - 1) / one.side_step * one.side_step;
  }
  static InputShape square(std::size_t channels) { return {channels, side(8), side(8)}; }
};

TEST_P(EveryArchitecture, MapsImagesToFiniteLogits) {
  const std::size_t width = side(side(8) + 1);
  const auto network = make_network(architecture(GetParam()), {3, side(8), width}, 1000);
  initialize(*network, 5);
  network->eval();
  const torch::NoGradGuard no_grad;
  const Forward result = network->forward(
      torch::rand({2, 3, static_cast<std::int64_t>(side(8)), static_cast<std::int64_t>(width)}));
  EXPECT_EQ(result.logits.sizes(), torch::IntArrayRef({2, 1000}));
  EXPECT_TRUE(result.logits.isfinite().all().item<bool>());
  if (result.features.defined()) {
    EXPECT_EQ(result.features.size(0), 2);
  }
  const std::string output(architecture(GetParam()).output);
  EXPECT_EQ(network->named_parameters()[output].size(0), 1000);
}

TEST_P(EveryArchitecture, WeightsDependOnTheSeedAlone) {
  const auto network = make_network(architecture(GetParam()), square(1), 2);
  const auto weights = [&](std::uint64_t seed) {
    initialize(*network, seed);
    return torch::nn::utils::parameters_to_vector(network->parameters());
  };
  const torch::Tensor first = weights(1);
  EXPECT_FALSE(first.equal(weights(2)));
  EXPECT_TRUE(first.equal(weights(1)));
}

// A step down the gradient, on the batch it was taken at, of length .01, or less where the slope promises more than a tenth
// of the loss: normalized networks of a hundred layers begin with gradients of thousands.
TEST_P(EveryArchitecture, OneStepLowersTheLoss) {
  const Images images = toy::squares(16, 4);
  const auto network = make_network(architecture(GetParam()), square(1), 4);
  initialize(*network, 5);
  const auto size = static_cast<std::int64_t>(side(8));
  const torch::Tensor x = torch::upsample_nearest2d(pixels(images, 0, images.n()), {size, size}),
                      y = to_tensor(*images.labels, 0, images.n());
  const auto loss = [&] { return torch::nn::functional::cross_entropy(network->forward(x).logits, y); };
  const torch::Tensor before = loss();
  const std::vector<torch::Tensor> weights = network->parameters();
  const auto gradients = torch::autograd::grad({before}, weights);
  double square = 0;
  for (const torch::Tensor& gradient : gradients) square += gradient.square().sum().item<double>();
  const torch::NoGradGuard no_grad;
  const double norm = std::sqrt(square), length = std::min(.01, .1 * before.item<double>() / norm);
  for (std::size_t i = 0; i < weights.size(); ++i)
    torch::Tensor(weights[i]).sub_(gradients[i], length / norm);
  EXPECT_LT(loss().item<double>(), before.item<double>());
}

// Where a network has its own way to the gradients of many classes, they are those of automatic differentiation.
TEST_P(EveryArchitecture, TakesClassesAtOnceAsOneByOne) {
  const auto height = static_cast<std::int64_t>(side(9)), width = static_cast<std::int64_t>(side(14));
  const auto network = make_network(architecture(GetParam()), {3, side(9), side(14)}, 4);
  network->eval();
  const torch::Tensor x = torch::rand({3, 3, height, width}).requires_grad_();
  const torch::Tensor classes = torch::tensor({{0, 3}, {2, 2}, {1, 0}}, torch::kInt64);
  if (!network->jacobian(x.detach(), classes).gradients.defined()) return;
  initialize(*network, 5);
  const Network::Jacobian found = network->jacobian(x.detach(), classes);
  const torch::Tensor logits = network->forward(x).logits, chosen = logits.gather(1, classes);
  EXPECT_TRUE(torch::allclose(found.logits, logits, 1e-5, 1e-6));
  for (std::int64_t j = 0; j < 2; ++j)
    EXPECT_TRUE(torch::allclose(found.gradients.select(1, j),
                                torch::autograd::grad({chosen.select(1, j).sum()}, {x}, {}, true)[0], 1e-5,
                                1e-6));
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

}  // namespace
}  // namespace leeway::nn
