// Models exported by Python's torch give the same numbers here (tests/reference/make_torchscript.py).
#include <gtest/gtest.h>
#include <torch/script.h>

#include <cmath>
#include <fstream>

#include "leeway/core/npy.h"
#include "leeway/core/parallel.h"
#include "leeway/nn/detail/tensors.h"
#include "tests/nn/toy.h"

namespace leeway::nn::torchscript_test {

const std::string torchscript_folder = std::string(LEEWAY_REFERENCE) + "/torchscript/";

class FromPython : public ::testing::TestWithParam<std::string> {};

TEST_P(FromPython, HasTheSameLogitsAndGradients) {
  const auto model = toy::loaded(torchscript_folder + GetParam());
  const ArrayMap expected = read_npz(torchscript_folder + "expected.npz");
  const Images images = read_images(torchscript_folder + "expected.npz");
  const Outputs outputs = model->outputs(images);
  EXPECT_LT(toy::largest_gap(outputs.logits, expected.at("logits")), 1e-5);
  EXPECT_LT(toy::largest_gap(model->input_gradients(images, *images.labels), expected.at("gradient")), 1e-5);
  EXPECT_LT(toy::largest_gap(model->class_gradients(images), expected.at("jacobian")), 1e-5);
  EXPECT_EQ(outputs.features.has_value(), GetParam() == "pair.pt");
  if (outputs.features) {
    EXPECT_LT(toy::largest_gap(*outputs.features, expected.at("features")), 1e-5);
  }
}

TEST_P(FromPython, HasTheSameBitsForAnyThreadsAndRun) {
  const auto model = toy::loaded(torchscript_folder + GetParam());
  const Images images = toy::images(150, {1, 8, 8}, 3);
  set_threads(1);
  const Array logits = model->outputs(images).logits,
              gradients = model->input_gradients(images, *images.labels);
  for (const int threads : {1, 3}) {
    set_threads(threads);
    EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, logits)) << threads;
    EXPECT_TRUE(toy::same_bits(model->input_gradients(images, *images.labels), gradients)) << threads;
  }
  set_threads(1);
}

INSTANTIATE_TEST_SUITE_P(Both, FromPython, ::testing::Values("logits.pt", "pair.pt"),
                         [](const auto& instance) {
                           return instance.param.substr(0, instance.param.find('.'));
                         });

// softmax.pt is logits.pt with a softmax behind it: the same operators remain, hence the same bits.
TEST(TorchScript, ASoftmaxAtItsEndIsTakenOff) {
  const auto model = toy::loaded(torchscript_folder + "softmax.pt"),
             bare = toy::loaded(torchscript_folder + "logits.pt");
  EXPECT_EQ(model->info().notes,
            std::vector<std::string>{torchscript_folder +
                                     "softmax.pt ends in a softmax: its inputs are used as logits"});
  EXPECT_TRUE(bare->info().notes.empty());
  const Images images = toy::images(100, {1, 8, 8}, 3);
  EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, bare->outputs(images).logits));
  EXPECT_TRUE(toy::same_bits(model->input_gradients(images, *images.labels),
                             bare->input_gradients(images, *images.labels)));
  EXPECT_TRUE(toy::same_bits(model->class_gradients(images), bare->class_gradients(images)));
}

TEST(TorchScript, ASoftmaxBeforeFeaturesIsTakenOff) {
  const toy::Folder folder;
  torch::jit::Module module("m");
  module.define(R"(
    def forward(self, x):
      h = x.flatten(1) * 3
      return h.softmax(-1).to(6), h
  )");
  module.save((folder / "m.pt").string());
  const Outputs outputs = toy::loaded(folder / "m.pt")->outputs(toy::images(5, {1, 2, 2}, 4));
  ASSERT_TRUE(outputs.features);
  EXPECT_TRUE(toy::same_bits(outputs.logits, *outputs.features));
}

TEST(TorchScript, SeveralResultsAreRunOrRefusedWithTheirShapes) {
  const toy::Folder folder;
  const auto defined = [&](const std::string& results) {
    torch::jit::Module module("m");
    module.define("def forward(self, x):\n  h = x.flatten(1)\n  return " + results + "\n");
    module.save((folder / "m.pt").string());
    return toy::loaded(folder / "m.pt");
  };
  const Images images = toy::images(5, {1, 2, 2}, 4);
  const Outputs outputs = defined("{\"loss\": h.sum(), \"logits\": h * 2, \"features\": h}")->outputs(images);
  EXPECT_EQ(outputs.logits.view<float>()[3], 2 * outputs.features->view<float>()[3]);
  const auto refusal = [&](const std::string& results) {
    const auto model = defined(results);
    return message_of([&] { (void)model->outputs(images); });
  };
  EXPECT_NE(refusal("h, h, h.sum()").find("returns a tuple of 3: (5, 4), (5, 4), ()"), std::string::npos);
  EXPECT_NE(refusal("{\"out\": h}").find("returns a dictionary of out, not logits"), std::string::npos);
}

TEST(TorchScript, OfTwoResultsTheOneOfAllClassesIsTheLogits) {
  const toy::Folder folder;
  torch::jit::Module module("m");
  module.define("def forward(self, x):\n  h = x.flatten(1)\n  return h, h[:, :3]\n");
  module.save((folder / "m.pt").string());
  const Images images = toy::images(5, {1, 2, 2}, 4);
  const auto wide = toy::loaded(folder / "m.pt", "", shape_of(images));
  ASSERT_EQ(wide->info().notes.size(), 1U);
  EXPECT_NE(wide->info().notes[0].find("the first (4 columns) is read as logits"), std::string::npos);
  EXPECT_NE(wide->info().notes[0].find("write classes = 3 to "), std::string::npos);
  std::ofstream(folder / "m.pt.toml") << "classes = 3\n";
  const Images three = toy::images(5, {1, 2, 2}, 3);
  const Outputs outputs = toy::loaded(folder / "m.pt", "", shape_of(images))->outputs(three);
  EXPECT_EQ(outputs.k(), 3U);
  EXPECT_EQ(outputs.features->shape[1], 4U);
}

// As of a file by a newer PyTorch, which LibTorch reports with a listing of the program behind it.
TEST(TorchScript, AnUnknownOperatorIsNamed) {
  torch::jit::Module module("m");
  std::string reason;
  try {
    module.define("def forward(self, x):\n  return torch.no_such_operator(x)\n");
  } catch (const std::exception& failure) {
    reason = first_line(failure);
  }
  EXPECT_TRUE(reason.starts_with("unknown operator aten::no_such_operator: made by a newer PyTorch than "))
      << reason;
}

// Probabilities by another way than a softmax: their logarithms, which for probabilities of 0 are finite.
TEST(TorchScript, OtherProbabilitiesBecomeLogarithms) {
  const toy::Folder folder;
  torch::jit::Module module("m");
  module.define(R"(
    def forward(self, x):
      e = torch.exp(x.flatten(1) * 3)
      return e / e.sum(1, True)
  )");
  module.save((folder / "m.pt").string());
  torch::jit::Module certain("certain");
  certain.define(R"(
    def forward(self, x):
      x = x.flatten(1)
      e = torch.exp((x - x.amax([1], True)) * 240)
      return e / e.sum(1, True)
  )");
  certain.save((folder / "certain.pt").string());
  const Images images = toy::images(40, {1, 2, 2}, 4);
  const auto model = toy::loaded(folder / "m.pt", "", shape_of(images));
  ASSERT_EQ(model->info().notes.size(), 1U);
  EXPECT_TRUE(
      model->info().notes[0].ends_with("m.pt returns probabilities: their logarithms are used as logits"));
  const Array logits = model->outputs(images).logits,
              gradients = model->input_gradients(images, *images.labels);
  const auto x = images.pixels.view<float>();
  for (std::size_t i = 0; i < images.n(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += std::exp(3 * x[4 * i + j]);
    for (std::size_t j = 0; j < 4; ++j) {
      const double p = std::exp(3 * x[4 * i + j]) / sum;
      EXPECT_NEAR(logits.view<float>()[4 * i + j], std::log(p), 1e-5);
      EXPECT_NEAR(gradients.view<float>()[4 * i + j],
                  3 * (p - (j == static_cast<std::size_t>((*images.labels)[i]))), 1e-5);
    }
  }
  const Array sure = toy::loaded(folder / "certain.pt", "", shape_of(images))->outputs(images).logits;
  EXPECT_NEAR(*std::ranges::min_element(sure.view<float>()), std::log(std::numeric_limits<double>::min()),
              1e-4);
}

TEST(TorchScript, RefusesImagesThatItCannotTake) {
  const auto model = toy::loaded(torchscript_folder + "logits.pt");
  const std::string message = message_of([&] { (void)model->outputs(toy::images(3, {2, 8, 8}, 3)); });
  EXPECT_NE(message.find("logits.pt: expected a model for images of shape (2, 8, 8), found \""),
            std::string::npos)
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(TorchScript, CannotBeSavedAsWeights) {
  const toy::Folder folder;
  const std::string message =
      message_of([&] { toy::loaded(torchscript_folder + "logits.pt")->save(folder / "m.safetensors"); });
  EXPECT_NE(message.find("expected a model of a known architecture, to save its weights, found TorchScript"),
            std::string::npos);
}

TEST(TorchScript, NormalizesBeforeTheModel) {
  ModelSource source = toy::source_of(torchscript_folder + "logits.pt");
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

}  // namespace leeway::nn::torchscript_test
