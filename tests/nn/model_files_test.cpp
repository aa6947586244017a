// Models as people save them (tests/reference/model_files.py): each gives Python's logits on data as they have it, or is
// refused with what helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/npy.h"
#include "leeway/core/safetensors.h"
#include "tests/nn/toy.h"

namespace leeway::nn::model_files_test {

const std::filesystem::path model_folder = std::string(LEEWAY_REFERENCE) + "/model_files";

Images inputs_for(const std::string& data, Layout layout = Layout::found) {
  ArrayMap others;
  return read_inputs((model_folder / (data + ".npz")).string(), others, layout);
}

ModelSource source_for(const std::string& file, const Images& inputs) {
  ModelSource source = toy::source_of(model_folder / file, "", shape_of(inputs));
  const auto ending = source.path.extension();
  const bool program = file.find("-program") != std::string::npos;
  if (ending != ".onnx" && !program) source.architecture = "linear";
  return source;
}

std::vector<std::string> model_files(bool refused) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(model_folder)) {
    const std::string name = entry.path().filename().string();
    const bool bad = name.starts_with("whole-") || name.starts_with("several-");
    if (entry.path().extension() != ".npz" && bad == refused) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class ModelFile : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelFile, HasPythonsLogits) {
  const std::string data = GetParam().substr(0, GetParam().find('-'));
  const Images inputs = inputs_for(data);
  const auto model = session().load(source_for(GetParam(), inputs));
  const Array found = model->outputs(inputs).logits,
              expected = read_npz(model_folder / (data + ".npz")).at("logits");
  EXPECT_LE(toy::largest_gap(found, expected), 1e-5);
  EXPECT_FALSE(model->variation(inputs).has_value());
}

TEST_P(ModelFile, IsAttackedAnywhereOrSaysThatItHasNoGradients) {
  const std::string data = GetParam().substr(0, GetParam().find('-'));
  const Images inputs = inputs_for(data);
  const auto model = session().load(source_for(GetParam(), inputs));
  AttackOptions options;
  options.eps = .5, options.parameters["steps"] = 5;
  if (data == "int8") {
    EXPECT_THAT(
        message_of([&] { (void)model->attack(inputs, options); }),
        ::testing::HasSubstr(
            "expected a model with input gradients (not needed for infer, assess, attack --attack noise"));
    options.attack = "noise";
    EXPECT_EQ(model->attack(inputs, options).success.size(), inputs.n());
    return;
  }
  const AttackResult result = model->attack(inputs, options);
  EXPECT_EQ(result.images.rank, inputs.rank);
  const auto moved = result.images.pixels.view<float>();
  std::vector<float> clean(inputs.pixels_per_image());
  for (std::size_t row = 0; row < inputs.n(); ++row) {
    inputs.copy_row(row, clean);
    for (std::size_t j = 0; j < clean.size(); ++j)
      EXPECT_LE(std::abs(static_cast<double>(moved[row * clean.size() + j]) - clean[j]), .5);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelFile, ::testing::ValuesIn(model_files(false)), test_name);

class RefusedModelFile : public ::testing::TestWithParam<std::string> {};

TEST_P(RefusedModelFile, SaysWhatHelps) {
  const std::string message =
      message_of([&] { (void)session().load(source_for(GetParam(), inputs_for("table"))); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  if (GetParam().starts_with("several"))
    EXPECT_THAT(message,
                ::testing::HasSubstr("expected a single dictionary of tensors, found a list of 2 of them"));
  else
    EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr("model = torch.load('" + GetParam() +
                                                               "', weights_only=False)"),
                                          ::testing::HasSubstr("; torch.save(model.state_dict(), 'whole-")));
}

INSTANTIATE_TEST_SUITE_P(All, RefusedModelFile, ::testing::ValuesIn(model_files(true)), test_name);

// Nothing says what network they are: the tensors are listed, and what they fit is named.
TEST(ModelFiles, TensorsOfAnUnknownNetworkNameWhatTheyFit) {
  ModelSource source = toy::source_of(model_folder / "table-compiled.pt");
  const auto file = session().weights_of_unknown(source);
  ASSERT_TRUE(file.has_value());
  ASSERT_EQ(file->info.layers.size(), 2U);
  EXPECT_EQ(file->info.layers[1].name, "_orig_mod.weight");
  EXPECT_EQ(file->info.layers[1].shape, "(3, 4)");
  EXPECT_EQ(file->info.parameters, 15U);
  ASSERT_EQ(file->fitting.size(), 1U);
  EXPECT_EQ(file->fitting[0].name, "linear");
  EXPECT_EQ(file->fitting[0].input, (InputShape{4, 1, 1, 2}));
  EXPECT_EQ(file->fitting[0].classes, 3U);
  EXPECT_THAT(
      message_of([&] { (void)session().load(source); }),
      ::testing::EndsWith("found a file without one: its tensors have the names and shapes of linear"));
  source.architecture = "linear";
  EXPECT_FALSE(session().weights_of_unknown(source).has_value());
  source.architecture.clear(), source.path = model_folder / "table-any.onnx";
  EXPECT_FALSE(session().weights_of_unknown(source).has_value());
}

// Every architecture is found by its own weights, and no other of another depth by them.
TEST(ModelFiles, ArchitecturesFitTheirOwnWeights) {
  const toy::Folder folder;
  for (const std::string name : {"resnet32-cifar", "mlp"}) {
    toy::model(name, {3, 32, 32}, 10)->save(folder / "m.safetensors");
    write_npz(folder / "m.npz", read_safetensors(folder / "m.safetensors").tensors);
    const auto file = session().weights_of_unknown(toy::source_of(folder / "m.npz"));
    ASSERT_TRUE(file.has_value()) << name;
    ASSERT_EQ(file->fitting.size(), 1U) << name;
    EXPECT_EQ(file->fitting[0].name, name);
    EXPECT_EQ(file->fitting[0].classes, 10U);
    EXPECT_EQ(file->fitting[0].input.channels, 3U);
  }
}

TEST(ModelFiles, InputsOfAnotherShapeAreRefused) {
  const Images table = inputs_for("table"), sequence = inputs_for("lstm");
  const auto message = [](const Model& model, const Images& inputs) {
    return message_of([&] { (void)model.outputs(inputs); });
  };
  const auto program = session().load(source_for("table-program.pt", table));
  EXPECT_THAT(message(*program, sequence), ::testing::HasSubstr("expected rows of 1 dimensions"));
  const auto graph = session().load(source_for("table-any.onnx", table));
  EXPECT_THAT(message(*graph, sequence), ::testing::HasSubstr("expected images of shape (4)"));
  ModelSource cnn = source_for("table-plain.pt", table);
  cnn.architecture = "small-cnn";
  EXPECT_NE(message_of([&] { (void)session().load(cnn); }), "no error");
}

}  // namespace leeway::nn::model_files_test
