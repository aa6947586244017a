#include "leeway/nn/model/architecture.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/model/layers.h"
#include "tests/case_name.h"
#include "tests/nn/reference_weights.h"
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
  EXPECT_REFUSED(make_network(architecture("densenet121"), {3, 40, 28}, 10), "29 x 29 ... found (3, 40, 28)");
  EXPECT_REFUSED(make_network(architecture("vit"), {3, 32, 30}, 10), "architecture ... found (3, 32, 30)");
}

struct LayerShape {
  std::int64_t channels, height, width, kernel, stride, padding;
  bool bias = true;
};

class InputConvolution : public ::testing::TestWithParam<LayerShape> {};

using LayerGradients = std::vector<torch::Tensor>;  // of the input, the weights, the biases

LayerGradients input_gradients_of(const torch::Tensor& value, const std::vector<torch::Tensor>& by,
                                  bool again) {
  return torch::autograd::grad({value}, by, {}, true, again);
}

void expect_close_gradients(const LayerGradients& a, const LayerGradients& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(torch::allclose(a[i], b[i], 1e-4, 1e-4))
        << i << ": " << (a[i] - b[i]).abs().max().item<float>();
}

TEST_P(InputConvolution, HasTheLayersGradients) {
  const LayerShape c = GetParam();
  torch::manual_seed(0);
  torch::nn::Conv2d layer(
      torch::nn::Conv2dOptions(c.channels, 5, c.kernel).stride(c.stride).padding(c.padding).bias(c.bias));
  const torch::Tensor x = torch::randn({3, c.channels, c.height, c.width}).requires_grad_();
  std::vector<torch::Tensor> by = {x, layer->weight};
  if (c.bias) by.push_back(layer->bias);
  const torch::Tensor own = layer(x), ours = input_convolution(layer, x);
  EXPECT_TRUE(torch::equal(own, ours));
  const LayerGradients first = input_gradients_of(own.sin().sum(), by, true),
                       same = input_gradients_of(ours.sin().sum(), by, true);
  expect_close_gradients(first, same);
  expect_close_gradients(input_gradients_of(first[0].square().sum(), by, false),
                         input_gradients_of(same[0].square().sum(), by, false));
}

INSTANTIATE_TEST_SUITE_P(Shapes, InputConvolution,
                         ::testing::Values(LayerShape{1, 28, 28, 4, 2, 1}, LayerShape{1, 27, 30, 4, 2, 1},
                                           LayerShape{2, 9, 11, 3, 3, 0}, LayerShape{1, 8, 8, 1, 1, 0},
                                           LayerShape{3, 12, 12, 3, 1, 1}, LayerShape{4, 12, 12, 3, 1, 1},
                                           LayerShape{3, 17, 12, 7, 2, 3, false}));

TEST(InputConvolutions, LeavesOutWhatIsNotAskedFor) {
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(1, 4, 3));
  const torch::Tensor x = torch::randn({2, 1, 6, 6}).requires_grad_();
  input_convolution(layer, x).sum().backward();
  EXPECT_TRUE(x.grad().defined());
  EXPECT_TRUE(layer->weight.grad().defined());
  const torch::Tensor plain = torch::randn({2, 1, 6, 6});
  EXPECT_TRUE(torch::equal(input_convolution(layer, plain), layer(plain)));
}

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

INSTANTIATE_TEST_SUITE_P(Small, OtherDefinition, ::testing::ValuesIn(names_of_reference_networks(true)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(LargeTier2, OtherDefinition, ::testing::ValuesIn(names_of_reference_networks(false)),
                         case_name);

// The linear model and the small CNN have tests of their own.
TEST(OtherDefinitions, LeaveOutNoArchitecture) {
  for (const Architecture& one : architectures())
    EXPECT_TRUE(one.name == "linear" || one.name == "small-cnn" ||
                reference_networks().contains(std::string(one.name)))
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

// The published weights: accuracies that the README beside them gives.
class PublishedResnetsTier2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << folder_ << " is not there";
  }
  [[nodiscard]] Images lossless() const { return read_images(folder_ / "test_lossless_first1017.npz"); }
  [[nodiscard]] Images jpeg() const { return read_images(folder_ / "test_jpeg75.npz"); }
  [[nodiscard]] std::unique_ptr<Model> published(const std::string& file, const std::string& name) const {
    ModelSource source = toy::source_of(folder_ / "weights" / file, name, {3, 32, 32});
    source.mean = std::vector<double>{.485, .456, .406};
    source.std = std::vector<double>{.229, .224, .225};
    return session().load(source);
  }

  const std::filesystem::path folder_ = std::filesystem::path(LEEWAY_SHARED_DATA) / "cifar10";
};

TEST_F(PublishedResnetsTier2, Resnet20IsAsAccurateAsPublishedFromBothFiles) {
  for (const auto& [images, expected] : {std::pair(lossless(), .916), std::pair(jpeg(), .810)}) {
    const Outputs outputs = published("resnet20-12fca82f.th", "resnet20-cifar")->outputs(images);
    EXPECT_NEAR(toy::accuracy(outputs, *images.labels), expected, .0005);
    EXPECT_EQ(predictions(outputs.logits),
              predictions(published("resnet20-12fca82f.npz", "resnet20-cifar")->outputs(images).logits));
  }
}

}  // namespace leeway::nn::architecture_test
