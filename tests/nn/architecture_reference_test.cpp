// Architectures against other definitions in Python (tests/reference/architectures.py): torchvision's where it has them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "leeway/nn/detail/tensors.h"
#include "tests/nn/reference_weights.h"
#include "tests/nn/toy.h"

namespace leeway::nn::architecture_reference_test {

const nlohmann::json& reference_networks() {
  static const auto all =
      nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/architectures.json"));
  return all;
}

// FNV-1a of the lines "NAME SIZE,SIZE", sorted.
std::uint32_t hash_of_names(const ArrayMap& tensors) {
  std::vector<std::string> lines;
  for (const auto& [name, array] : tensors) {
    std::string line = name + " ";
    for (const std::size_t size : array.shape) line += std::to_string(size) + ",";
    line.back() = '\n';
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::uint32_t hash = 2166136261U;
  for (const std::string& line : lines)
    for (const char c : line) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

torch::Tensor reference_direction(const std::string& name, const torch::Tensor& like) {
  return torch::tensor(toy::noise(name, static_cast<std::size_t>(like.numel())), torch::kFloat64)
      .view(like.sizes());
}

// The gradient, by the reference images, of the logits along a direction; checks the logits.
torch::Tensor reference_gradient(torch::ScalarType type, const std::shared_ptr<Network>& network,
                                 const nlohmann::json& wanted) {
  network->to(type);
  const torch::Tensor x = toy::reference_images(wanted["shape"]).to(type).requires_grad_();
  const Forward result = forward_of(network, {})(x);
  EXPECT_TRUE(result.features.defined());
  EXPECT_EQ(result.features.dim(), 2);
  toy::expect_logits(result.logits, wanted["logits"]);
  const torch::Tensor value = (result.logits * reference_direction("logits", result.logits)).sum();
  return torch::autograd::grad({value}, {x})[0].to(torch::kFloat64);
}

class OtherDefinition : public ::testing::TestWithParam<std::string> {};

// Gradients are compared in float64: of the 4.6 million numbers that meet a relu in wrn-28-10 one is 9e-8, which float32
// rounds to either side as kernels do, and the gradient's norm moves by 3e-4. Those in float32 may differ by a few of these.
TEST_P(OtherDefinition, HasTheSameNamesOutputsAndGradients) {
  const nlohmann::json& wanted = reference_networks().at(GetParam());
  const std::vector<std::int64_t> shape = wanted["shape"];
  const auto network =
      make_network(architecture(GetParam()),
                   {3, static_cast<std::size_t>(shape[2]), static_cast<std::size_t>(shape[3])}, 10);
  EXPECT_EQ(count_weights(*network), wanted["parameters"].get<std::size_t>());
  const ArrayMap tensors = toy::fill_with_reference_weights(*network);
  EXPECT_EQ(tensors.size(), wanted["tensors"].get<std::size_t>());
  EXPECT_EQ(hash_of_names(tensors), wanted["names"].get<std::uint32_t>());
  for (torch::Tensor& weight : network->parameters()) weight.requires_grad_(false);

  const bool pictures = GetParam() == "defended-cnn";  // of bytes, in float32 whatever the weights are
  const torch::Tensor single = reference_gradient(torch::kFloat32, network, wanted);
  const torch::Tensor gradient = pictures ? single : reference_gradient(torch::kFloat64, network, wanted);
  const double norm = wanted["gradient"]["norm"], tolerance = pictures ? 1e-4 * norm : 1e-9 * norm;
  EXPECT_NEAR(gradient.norm().item<double>(), norm, tolerance);
  EXPECT_NEAR((gradient * reference_direction("gradient", gradient)).sum().item<double>(),
              wanted["gradient"]["along"].get<double>(), 10 * tolerance);
  const std::vector<double> some = wanted["gradient"]["some"];
  const std::int64_t step = gradient.numel() / 16;
  for (std::size_t i = 0; i < some.size(); ++i)
    EXPECT_NEAR(gradient.flatten()[static_cast<std::int64_t>(i) * step].item<double>(), some[i], tolerance);
  EXPECT_LT((single - gradient).norm().item<double>(), .02 * norm);
}

constexpr std::size_t small_network = 11'000'000;  // weights

std::vector<std::string> names_of_reference_networks(bool small) {
  std::vector<std::string> names;
  for (const auto& item : reference_networks().items())
    if ((item.value()["parameters"].get<std::size_t>() < small_network) == small) names.push_back(item.key());
  return names;
}

const auto name_of_network = [](const auto& instance) {
  std::string name = instance.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

INSTANTIATE_TEST_SUITE_P(Small, OtherDefinition, ::testing::ValuesIn(names_of_reference_networks(true)),
                         name_of_network);
INSTANTIATE_TEST_SUITE_P(LargeTier2, OtherDefinition, ::testing::ValuesIn(names_of_reference_networks(false)),
                         name_of_network);

// Those of the CIFAR ResNets are in cifar_resnet.json; the linear model and the small CNN stand in tests of their own.
TEST(OtherDefinitions, LeaveOutNoArchitecture) {
  const std::set<std::string_view> elsewhere{"linear",         "small-cnn",      "resnet20-cifar",
                                             "resnet32-cifar", "resnet44-cifar", "resnet56-cifar",
                                             "resnet110-cifar"};
  for (const Architecture& one : architectures())
    EXPECT_TRUE(elsewhere.contains(one.name) || reference_networks().contains(std::string(one.name)))
        << one.name;
}

// The papers' figures, for 1000 classes of images of 224 x 224.
TEST(ArchitectureSizes, AreThosePublished) {
  const auto weights = [](std::string_view name) {
    return count_weights(*make_network(architecture(name), {3, 224, 224}, 1000));
  };
  EXPECT_EQ(weights("resnet18"), 11689512U);
  EXPECT_EQ(weights("resnet50"), 25557032U);
  EXPECT_EQ(weights("densenet121"), 7978856U);
}

}  // namespace leeway::nn::architecture_reference_test
