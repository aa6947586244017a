// CIFAR ResNets against an independent definition in Python (tests/reference/cifar_resnet.py), and published
// weights where they lie beside the project.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "leeway/nn/detail/tensors.h"
#include "tests/nn/reference_weights.h"
#include "tests/nn/toy.h"

namespace leeway::nn::cifar_resnet_test {

const nlohmann::json& cifar_resnets() {
  static const auto all =
      nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/cifar_resnet.json"));
  return all;
}

class CifarResnets : public ::testing::TestWithParam<std::string> {};

TEST_P(CifarResnets, EqualAnotherDefinition) {
  const nlohmann::json& wanted = cifar_resnets().at(GetParam());
  const auto network = make_network(architecture(GetParam()), {3, 32, 32}, 10);
  EXPECT_EQ(count_weights(*network), wanted["parameters"].get<std::size_t>());
  EXPECT_EQ(toy::fill_with_reference_weights(*network).size(), wanted["tensors"].get<std::size_t>());
  const torch::NoGradGuard no_grad;
  const Forward result = network->forward(toy::reference_images({2, 3, 32, 32}));
  EXPECT_EQ(result.features.sizes(), torch::IntArrayRef({2, 64}));
  toy::expect_logits(result.logits, wanted["logits"]);
}

const auto name_of_resnet = [](const auto& instance) {
  return instance.param.substr(0, instance.param.find('-'));
};

INSTANTIATE_TEST_SUITE_P(Small, CifarResnets, ::testing::Values("resnet20-cifar", "resnet32-cifar"),
                         name_of_resnet);
INSTANTIATE_TEST_SUITE_P(LargeTier2, CifarResnets,
                         ::testing::Values("resnet44-cifar", "resnet56-cifar", "resnet110-cifar"),
                         name_of_resnet);

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
  [[nodiscard]] std::vector<std::int64_t> classes(const std::string& file, const std::string& name,
                                                  const Images& images) const {
    return predictions(published(file, name)->outputs(images).logits);
  }
  // Share of rows whose class is the label, to three digits.
  [[nodiscard]] static double accuracy(const std::vector<std::int64_t>& found, const Images& images) {
    double right = 0;
    for (std::size_t i = 0; i < found.size(); ++i) right += found[i] == images.labels->at(i) ? 1 : 0;
    return std::round(1000 * right / static_cast<double>(found.size())) / 1000;
  }

  const std::filesystem::path folder_ = std::filesystem::path(LEEWAY_SHARED_DATA) / "cifar10";
};

TEST_F(PublishedResnetsTier2, Resnet20IsAsAccurateAsPublishedFromBothFiles) {
  for (const auto& [images, expected] : {std::pair(lossless(), .916), std::pair(jpeg(), .810)}) {
    const auto from_checkpoint = classes("resnet20-12fca82f.th", "resnet20-cifar", images);
    EXPECT_EQ(accuracy(from_checkpoint, images), expected);
    EXPECT_EQ(from_checkpoint, classes("resnet20-12fca82f.npz", "resnet20-cifar", images));
  }
}

}  // namespace leeway::nn::cifar_resnet_test
