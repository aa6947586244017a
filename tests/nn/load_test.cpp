#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "leeway/core/npy.h"
#include "leeway/core/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/checkpoint.h"
#include "leeway/nn/io/weights.h"
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

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
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
  EXPECT_EQ(message(weights, "linear"),
            "w.npz: expected a tensor bias of architecture linear, found none among its 8 tensors");
  ArrayMap tensors = weights;
  tensors["7.biases"] = tensors.at("7.bias");
  tensors.erase("7.bias");
  tensors["conv1.bias"] = tensors.at("0.bias");
  tensors.erase("0.bias");
  EXPECT_NE(message(tensors).find("(nearest: 2.bias)"), std::string::npos);
  tensors = weights;
  tensors.erase("2.bias");
  tensors["extra"] = tensors.at("0.bias");
  EXPECT_EQ(message(tensors),
            "w.npz: expected the 8 tensors of the architecture, found no 2.bias, and unknown extra");
  tensors = weights;
  tensors["5.weight"] = make_array({2, 2}, std::vector<float>(4));
  EXPECT_EQ(message(tensors), "w.npz: expected tensor 5.weight of shape (100, 128), found (2, 2)");
  tensors = weights;
  tensors["0.bias"] = make_array({16}, std::vector<float>(16, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(message(tensors), "w.npz: expected finite numbers in tensor 0.bias, found NaN or infinity");
  write_npz(folder / "w.npz", weights);
  EXPECT_EQ(load_error(folder / "w.npz", "small-cnn", {}),
            "w.npz: expected a known input shape, found a file without one");
  EXPECT_EQ(
      load_error(folder / "w.npz", "small-cnn", {1, 3, 3}),
      "architecture small-cnn: expected images of at least 4 x 4 pixels and one channel, found (1, 3, 3)");
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
  EXPECT_NE(load_error(folder / "w.npz", "small-cnn").find("of several networks: student., teacher. look"),
            std::string::npos);
}

// A DataParallel module's weights in the entry "model", as tests/reference/checkpoints.py saved them.
TEST(Checkpoints, LoadIntoTheirArchitecture) {
  const std::filesystem::path path = std::string(LEEWAY_REFERENCE) + "/checkpoints/linear.pt";
  const auto model = toy::loaded(path, "linear", {1, 2, 2});
  EXPECT_EQ(model->info().format, "checkpoint");
  EXPECT_EQ(model->info().classes, 3U);
  EXPECT_EQ(model->info().parameters, 15U);
  const Images images = toy::images(4, {1, 2, 2}, 3);
  const ArrayMap tensors = read_checkpoint(path, CheckpointPart::weights);
  const auto expected = toy::linear_model(to_tensor(tensors.at("module.weight"), "weight"),
                                          to_tensor(tensors.at("module.bias"), "bias"));
  Images flat = images;
  flat.pixels.shape = {4, 1, 1, 4};
  EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, expected->outputs(flat).logits));
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
      {"input", "1,8,-8", "whole numbers from 1 to 1000000 in its metadata \"input\", found -8"},
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
      "f: expected TorchScript, ONNX, a PyTorch checkpoint, safetensors or npz of named tensors, found ";
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
      load_error(folder / "altered.pt").starts_with("altered.pt: expected a TorchScript file, found \""));
}

}  // namespace leeway::nn::load_test
