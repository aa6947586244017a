#include <gmock/gmock.h>
#include <torch/script.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "leeway/core/parallel.h"
#include "leeway/io/npy.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/checkpoint.h"
#include "leeway/nn/io/weights.h"
#include "tests/case_name.h"
#include "tests/nn/reference_weights.h"
#include "tests/nn/toy.h"

namespace leeway::nn::load_test {

const InputShape small{1, 8, 8};

std::string load_error(const std::filesystem::path& path, const std::string& architecture = "",
                       const InputShape& input = small) {
  std::string message = message_of([&] { (void)toy::loaded(path, architecture, input); });
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  const std::string folder = path.parent_path().string() + "/";
  if (message.starts_with(folder)) message = message.substr(folder.size());
  return message;
}

TEST(SavedModel, ComesBackWithItsBitsAndItsInfo) {
  const toy::Folder folder;
  const Normalization normalization{255, {.5}, {.25}};
  const auto model = toy::model("small-cnn", small, 3, 1, normalization);
  model->save(folder / "m.safetensors");
  ModelSource source = toy::source_of(folder / "m.safetensors");
  const auto again = session().load(source);
  const Images images = toy::images(20, small, 3);
  EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, again->outputs(images).logits));
  EXPECT_EQ(again->info().architecture, "small-cnn");
  EXPECT_EQ(again->info().input, small);
  EXPECT_EQ(again->info().classes, 3U);
  EXPECT_EQ(again->info().normalization, normalization);
  source.scale = 1;
  EXPECT_EQ(session().load(source)->info().normalization.scale, 1)
      << "what is asked for replaces what the file says";
}

TEST(ModelFiles, RunOnADeviceThatIsThere) {
  const toy::Folder folder;
  toy::model("linear", small, 3)->save(folder / "m.safetensors");
  ModelSource source = toy::source_of(folder / "m.safetensors");
  source.device = "cuda:99";
  EXPECT_TRUE(message_of([&] { (void)session().load(source); }).starts_with("device: expected cpu"));
}

TEST(NamedTensors, LoadFromNpzWithTheirArchitecture) {
  const toy::Folder folder;
  const auto network = make_network(architecture("linear"), small, 3);
  initialize(*network, 1);
  write_npz(folder / "w.npz", weights_of(*network));
  const Images images = toy::images(5, small, 3);
  EXPECT_TRUE(toy::same_bits(toy::loaded(folder / "w.npz", "linear", small)->outputs(images).logits,
                             toy::model("linear", small, 3, 1)->outputs(images).logits));
}

TEST(NamedTensors, SayWhatIsMissing) {
  const toy::Folder folder;
  const auto network = make_network(architecture("small-cnn"), small, 3);
  initialize(*network, 1);
  const ArrayMap weights = weights_of(*network);
  const auto message = [&](const ArrayMap& tensors, const std::string& name = "small-cnn") {
    write_npz(folder / "w.npz", tensors);
    return load_error(folder / "w.npz", name);
  };
  EXPECT_EQ(message(weights, ""),
            "w.npz: expected the name of its architecture (--arch), found a file without one: its tensors "
            "have the names and shapes of small-cnn");
  EXPECT_EQ(message(weights, "resnet"), message_of([] { (void)architecture("resnet"); }));
  EXPECT_THAT(message(weights, "linear"),
              Says("w.npz: expected a ... found none among its 8 tensors; did you mean 0.bias?"));
  ArrayMap tensors = weights;
  tensors["7.biases"] = tensors.at("7.bias");
  tensors.erase("7.bias");
  tensors["conv1.bias"] = tensors.at("0.bias");
  tensors.erase("0.bias");
  EXPECT_THAT(message(tensors), ::testing::HasSubstr("; did you mean 7.biases?"));
  tensors = weights;
  tensors.erase("2.bias");
  tensors["extra"] = tensors.at("0.bias");
  EXPECT_THAT(message(tensors), Says("w.npz: expected the 8 tensors ... found no 2.bias, and unknown extra"));
  tensors = weights;
  tensors["5.weight"] = make_array({2, 2}, std::vector<float>(4));
  EXPECT_EQ(message(tensors), "w.npz: expected tensor 5.weight of shape (100, 128), found (2, 2)");
  tensors = weights;
  tensors["0.bias"] = make_array({16}, std::vector<float>(16, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(message(tensors), "w.npz: expected finite numbers in tensor 0.bias, found NaN or infinity");
  write_npz(folder / "w.npz", weights);
  EXPECT_EQ(load_error(folder / "w.npz", "small-cnn", {}),
            "w.npz: expected a known input shape, found a file without one");
  EXPECT_THAT(load_error(folder / "w.npz", "small-cnn", {1, 3, 3}), Says("architecture ... found (1, 3, 3)"));
}

TEST(NamedTensors, OfSeveralNetworksAreRefusedByTheirPrefixes) {
  const toy::Folder folder;
  const auto network = make_network(architecture("small-cnn"), small, 3);
  initialize(*network, 1);
  ArrayMap tensors;
  for (const auto& [name, array] : weights_of(*network)) tensors["student." + name] = array;
  write_npz(folder / "w.npz", tensors);
  EXPECT_EQ(toy::loaded(folder / "w.npz", "small-cnn", small)->info().classes, 3U);
  for (const auto& [name, array] : weights_of(*network)) tensors["teacher." + name] = array;
  write_npz(folder / "w.npz", tensors);
  EXPECT_THAT(load_error(folder / "w.npz", "small-cnn"),
              ::testing::HasSubstr("of several networks: student., teacher. look"));
}

// A DataParallel module's weights in the entry "model", as tests/reference/checkpoints.py saved them.
TEST(Checkpoints, LoadIntoTheirArchitecture) {
  const std::filesystem::path path = std::string(LEEWAY_REFERENCE) + "/checkpoints/linear.pt";
  const auto model = toy::loaded(path, "linear", {1, 2, 2});
  EXPECT_EQ(model->info().format, "checkpoint");
  EXPECT_EQ(model->info().classes, 3U);
  EXPECT_EQ(model->info().parameters, 15U);
  const Images images = toy::images(4, {1, 2, 2}, 3);
  const ArrayMap tensors = read_checkpoint(path).tensors;
  const auto expected = toy::linear_model(to_tensor(tensors.at("module.weight"), "weight"),
                                          to_tensor(tensors.at("module.bias"), "bias"));
  Images flat = images;
  flat.pixels.shape = {4, 1, 1, 4};
  EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, expected->outputs(flat).logits));
}

// Networks of RobustBench normalize by buffers of their own; robustbench.py saved one with its logits.
TEST(Checkpoints, NormalizeByTheBuffersOfTheNetwork) {
  const toy::Folder folder;
  const std::string reference = std::string(LEEWAY_REFERENCE) + "/robustbench";
  const auto wanted =
      nlohmann::json::parse(read_bytes(reference + ".json")).get<std::vector<std::vector<double>>>();
  Images images = toy::images(4, {3, 2, 2}, 3);
  images.pixels = to_array(toy::reference_images({4, 3, 2, 2}));
  const auto model = toy::loaded(reference + ".pt", "linear", {3, 2, 2});
  EXPECT_NEAR(model->info().normalization.mean.at(2), .4465, 1e-7);
  toy::expect_logits(to_tensor(model->outputs(images).logits, "logits"), wanted);
  const ArrayMap tensors = read_checkpoint(reference + ".pt").tensors;
  const auto saved = [&](const std::vector<std::pair<std::string, std::string>>& names) {
    ArrayMap others;
    for (const auto& [name, other] : names) others[other] = tensors.at(name);
    write_npz(folder / "w.npz", others);
    return folder / "w.npz";
  };
  const auto wrapped = saved({{"weight", "model.weight"},
                              {"bias", "model.bias"},
                              {"mu", "normalize.mean"},
                              {"sigma", "normalize.std"}});
  toy::expect_logits(to_tensor(toy::loaded(wrapped, "linear", {3, 2, 2})->outputs(images).logits, "logits"),
                     wanted);
  ModelSource source = toy::source_of(reference + ".pt", "linear", {3, 2, 2});
  source.mean = std::vector<double>{0, 0, 0};
  EXPECT_EQ(session().load(source)->info().normalization.mean, *source.mean);
  EXPECT_THAT(load_error(saved({{"weight", "weight"}, {"bias", "bias"}, {"mu", "mu"}}), "linear", {3, 2, 2}),
              ::testing::HasSubstr("unknown mu"));
}

TEST(Metadata, IsChecked) {
  const toy::Folder folder;
  const auto message = [&](const std::string& key, const std::string& value) {
    toy::model("linear", small, 3)->save(folder / "m.safetensors");
    Safetensors content = read_safetensors(folder / "m.safetensors");
    content.metadata[key] = value;
    write_safetensors(folder / "m2.safetensors", content);
    return load_error(folder / "m2.safetensors");
  };
  const std::vector<std::array<std::string, 3>> cases = {
      {"input", "1,8,8,8", "1 to 3 numbers in its metadata \"input\", found '1,8,8,8'"},
      {"input", "1,8,-8", "integers from 1 to 1000000 in its metadata \"input\", found -8"},
      {"input", "1,9,9", "tensor weight of shape (3, 81), found (3, 64)"},
      {"crop", "7", "metadata \"crop\" equal to the height and width in its metadata \"input\", found '7'"},
      {"crop", "8,8",
       "metadata \"crop\" equal to the height and width in its metadata \"input\", found '8,8'"},
      {"mean", "x", "numbers separated by commas in its metadata \"mean\", found 'x'"},
      {"mean", "1,2,3", "1 mean numbers, one per channel, found 3"},
      {"std", "0", "std of positive numbers, found 0"},
      {"scale", "0", "a positive scale, found 0"}};
  for (const auto& [key, value, expected] : cases)
    EXPECT_EQ(message(key, value), "m2.safetensors: expected " + expected);
  EXPECT_EQ(message("architecture", "alexnet"),
            "m2.safetensors: metadata: " + message_of([] { (void)architecture("alexnet"); }));
}

TEST(ModelFiles, AreToldApartByContent) {
  const toy::Folder folder;
  const std::string expected =
      "f: expected TorchScript, ONNX, .pt2, a PyTorch checkpoint, safetensors or npz of named tensors, "
      "found ";
  const auto message = [&](const std::string& bytes) {
    write_bytes(folder / "f", bytes);
    return load_error(folder / "f");
  };
  EXPECT_EQ(message(""), expected + "an empty file");
  EXPECT_EQ(message("<html>no model</html>"), expected + "something else");
  EXPECT_EQ(message("\x80\x02\x8a\x0a"), expected + "something else");
  EXPECT_NE(load_error(folder / "absent"), "no error");
  EXPECT_NE(load_error(std::filesystem::temp_directory_path()), "no error");
}

// Every shortened or altered TorchScript file is refused in one line or still loads: never a crash.
TEST(ModelFiles, BrokenTorchScriptIsRefusedInOneLine) {
  const toy::Folder folder;
  const std::string whole = read_bytes(std::string(LEEWAY_REFERENCE) + "/torchscript/logits.pt");
  ASSERT_GT(whole.size(), 1000U);
  for (std::size_t cut = 0; cut < whole.size(); cut += 97) {
    write_bytes(folder / "cut.pt", whole.substr(0, cut));
    EXPECT_NE(load_error(folder / "cut.pt"), "no error") << cut;
  }
  write_bytes(folder / "cut.pt", whole.substr(0, whole.size() - 30));
  EXPECT_TRUE(load_error(folder / "cut.pt").ends_with("found a truncated zip archive"));
  std::string altered = whole;
  altered.replace(altered.find("def forward"), 11, "def (((((((");
  write_bytes(folder / "altered.pt", altered);
  EXPECT_TRUE(
      load_error(folder / "altered.pt").starts_with("altered.pt: expected a TorchScript file for LibTorch "));
}

const std::string torchscript_folder = std::string(LEEWAY_REFERENCE) + "/torchscript/";

class FromPython : public ::testing::TestWithParam<std::string> {};

TEST_P(FromPython, HasTheSameLogitsAndGradients) {
  const auto model = toy::loaded(torchscript_folder + GetParam());
  const ArrayMap expected = read_npz(torchscript_folder + "expected.npz");
  const Images images = read_images(torchscript_folder + "expected.npz");
  const Outputs outputs = model->outputs(images);
  EXPECT_LT(toy::largest_gap(outputs.logits, expected.at("logits")), 1e-5);
  EXPECT_LT(toy::largest_gap(model->input_gradients(images, *images.labels), expected.at("gradient")), 1e-5);
  EXPECT_LT(toy::largest_gap(toy::class_gradients(*model, images), expected.at("jacobian")), 1e-5);
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

INSTANTIATE_TEST_SUITE_P(Both, FromPython, ::testing::Values("logits.pt", "pair.pt"), case_name);

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
  EXPECT_TRUE(toy::same_bits(toy::class_gradients(*model, images), toy::class_gradients(*bare, images)));
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
  EXPECT_THAT(refusal("h, h, h.sum()"), ::testing::HasSubstr("returns a tuple of 3: (5, 4), (5, 4), ()"));
  EXPECT_THAT(refusal("{\"out\": h}"), ::testing::HasSubstr("returns a dictionary of out, not logits"));
}

TEST(TorchScript, OfTwoResultsTheOneOfAllClassesIsTheLogits) {
  const toy::Folder folder;
  torch::jit::Module module("m");
  module.define("def forward(self, x):\n  h = x.flatten(1)\n  return h, h[:, :3]\n");
  module.save((folder / "m.pt").string());
  const Images images = toy::images(5, {1, 2, 2}, 4);
  const auto wide = toy::loaded(folder / "m.pt", "", shape_of(images));
  ASSERT_EQ(wide->info().notes.size(), 1U);
  EXPECT_THAT(wide->info().notes[0], ::testing::HasSubstr("the first (4 columns) is read as logits"));
  EXPECT_THAT(wide->info().notes[0], ::testing::HasSubstr("write classes = 3 to "));
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
  EXPECT_TRUE(reason.starts_with("unknown operator aten::no_such_operator")) << reason;
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
  EXPECT_THAT(message, Says("logits.pt: expected a model for images of shape (2, 8, 8), found \"..."));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(TorchScript, CannotBeSavedAsWeights) {
  const toy::Folder folder;
  EXPECT_REFUSED(toy::loaded(torchscript_folder + "logits.pt")->save(folder / "m.safetensors"),
                 "expected a model of a known architecture, to save its weights, found TorchScript...");
}

TEST(TorchScript, NormalizesBeforeTheModel) {
  ModelSource source = toy::source_of(torchscript_folder + "logits.pt");
  source.scale = 2, source.mean = {1}, source.std = {4};
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

}  // namespace leeway::nn::load_test
