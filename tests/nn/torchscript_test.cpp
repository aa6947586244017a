// Models exported by Python's torch give the same numbers here (tests/reference/make_torchscript.py).
#include <gtest/gtest.h>
#include <torch/script.h>

#include <cmath>

#include "leeway/core/npz.h"
#include "leeway/core/parallel.h"
#include "tests/nn/toy.h"

namespace leeway::nn {
namespace {

const std::string torchscript_folder = std::string(LEEWAY_REFERENCE) + "/torchscript/";

std::unique_ptr<Model> load_torchscript_model(const std::string& name) {
  ModelSource source;
  source.path = torchscript_folder + name;
  return session().load(source);
}

double largest_difference(const Array& a, const Array& b) {
  EXPECT_EQ(a.shape, b.shape);
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(a.view<float>()[i] - b.view<float>()[i])));
  return largest;
}

class FromPython : public testing::TestWithParam<std::string> {};

TEST_P(FromPython, HasTheSameLogitsAndGradients) {
  const auto model = load_torchscript_model(GetParam());
  const ArrayMap expected = read_npz(torchscript_folder + "expected.npz");
  const Images images = read_images(torchscript_folder + "expected.npz");
  const Outputs outputs = model->outputs(images);
  EXPECT_LT(largest_difference(outputs.logits, expected.at("logits")), 1e-5);
  EXPECT_LT(largest_difference(model->input_gradients(images, *images.labels), expected.at("gradient")),
            1e-5);
  EXPECT_LT(largest_difference(model->class_gradients(images), expected.at("jacobian")), 1e-5);
  EXPECT_EQ(outputs.features.has_value(), GetParam() == "pair.pt");
  if (outputs.features) {
    EXPECT_LT(largest_difference(*outputs.features, expected.at("features")), 1e-5);
  }
}

TEST_P(FromPython, HasTheSameBitsForAnyThreadsAndRun) {
  const auto model = load_torchscript_model(GetParam());
  const Images images = toy::images(500, {1, 8, 8}, 3);
  set_threads(1);
  const Array logits = model->outputs(images).logits,
              gradients = model->input_gradients(images, *images.labels);
  for (const int threads : {1, 2, 7}) {
    set_threads(threads);
    EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, logits)) << threads;
    EXPECT_TRUE(toy::same_bits(model->input_gradients(images, *images.labels), gradients)) << threads;
  }
  set_threads(1);
}

TEST_P(FromPython, CanBeAttacked) {
  const auto model = load_torchscript_model(GetParam());
  AttackOptions options;
  options.eps = .2;
  const AttackResult result = model->attack(toy::images(60, {1, 8, 8}, 3), options);
  EXPECT_LT(result.robust_accuracy, result.clean_accuracy);
}

INSTANTIATE_TEST_SUITE_P(Both, FromPython, testing::Values("logits.pt", "pair.pt"), [](const auto& instance) {
  return instance.param.substr(0, instance.param.find('.'));
});

TEST(TorchScript, RefusesImagesThatItCannotTake) {
  const auto model = load_torchscript_model("logits.pt");
  const std::string message = message_of([&] { (void)model->outputs(toy::images(3, {2, 8, 8}, 3)); });
  EXPECT_NE(message.find("logits.pt: expected a model for images of shape (2, 8, 8), found \""),
            std::string::npos)
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(TorchScript, CannotBeSavedAsWeights) {
  const toy::Folder folder;
  const std::string message =
      message_of([&] { load_torchscript_model("logits.pt")->save(folder / "m.safetensors"); });
  EXPECT_NE(message.find("expected a model with an architecture, to save its weights, found TorchScript"),
            std::string::npos);
}

TEST(TorchScript, NormalizesBeforeTheModel) {
  ModelSource source;
  source.path = torchscript_folder + "logits.pt";
  source.scale = 2;
  source.mean = {1};
  source.std = {4};
  const auto normalized_model = session().load(source);
  const Images images = toy::images(10, {1, 8, 8}, 3);
  std::vector<float> moved(images.pixels.view<float>().begin(), images.pixels.view<float>().end());
  const auto plain = torch::jit::load(source.path.string());
  torch::Tensor x = torch::from_blob(moved.data(), {10, 1, 8, 8});
  auto module = plain;
  const torch::Tensor expected = module.forward({(x * 2 - 1) / 4}).toTensor();
  const Array logits = normalized_model->outputs(images).logits;
  for (std::size_t i = 0; i < logits.size(); ++i)
    EXPECT_NEAR(logits.view<float>()[i], expected.data_ptr<float>()[i], 1e-5);
}

}  // namespace
}  // namespace leeway::nn
