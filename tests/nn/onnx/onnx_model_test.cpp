// Exports of Python's torch (tests/reference/make_onnx.py) give its numbers, for any number of rows, or are refused by name.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>

#include "leeway/core/parallel.h"
#include "leeway/io/npy.h"
#include "tests/nn/onnx/handmade.h"

namespace leeway::nn::onnx_model_test {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string onnx_folder = std::string(LEEWAY_REFERENCE) + "/onnx/";

class Exported : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::string network() const { return GetParam().substr(0, GetParam().find('_')); }
};

TEST_P(Exported, HasPythonsLogitsFeaturesAndGradients) {
  const auto model = toy::loaded(onnx_folder + GetParam() + ".onnx");
  const ArrayMap expected = read_npz(onnx_folder + network() + ".npz");
  const Images images = read_images(onnx_folder + network() + ".npz");
  EXPECT_EQ(model->info().format, "onnx");
  EXPECT_EQ(model->info().input, (InputShape{1, 8, 8}));
  EXPECT_EQ(model->info().classes, 3U);
  EXPECT_GT(model->info().parameters, 100U);
  const Outputs outputs = model->outputs(images);
  EXPECT_LT(toy::largest_gap(outputs.logits, expected.at("logits")), 1e-5);
  EXPECT_LT(toy::largest_gap(model->input_gradients(images, *images.labels), expected.at("gradient")), 1e-5);
  EXPECT_LT(toy::largest_gap(toy::class_gradients(*model, images), expected.at("jacobian")), 1e-5);
  ASSERT_TRUE(outputs.features.has_value());
  EXPECT_LT(toy::largest_gap(*outputs.features, expected.at("features")), 1e-5);
}

TEST(OnnxModel, HasTheSameBitsForAnyThreads) {
  const Images images = toy::images(100, {1, 8, 8}, 3);
  for (const std::string name : {"cnn_17_any", "vit_17_one", "timewise_13_one"}) {
    const auto model = toy::loaded(onnx_folder + name + ".onnx");
    set_threads(1);
    const Array logits = model->outputs(images).logits,
                gradients = model->input_gradients(images, *images.labels);
    set_threads(3);
    EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, logits)) << name;
    EXPECT_TRUE(toy::same_bits(model->input_gradients(images, *images.labels), gradients)) << name;
    set_threads(1);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Exported,
                         ::testing::Values("cnn_9_any", "cnn_9_one", "cnn_11_any", "cnn_11_one", "cnn_13_any",
                                           "cnn_13_one", "cnn_17_any", "cnn_17_one", "cnn_softmax",
                                           "vit_12_any", "vit_12_one", "vit_17_any", "vit_17_one",
                                           "timewise_13_any", "timewise_13_one"),
                         [](const auto& instance) { return instance.param; });

// All but one of the files that fix a batch of 1 take rows together; where time comes first, they do not.
TEST(OnnxModel, SaysWhereItRunsRowByRow) {
  EXPECT_THAT(toy::loaded(onnx_folder + "vit_17_one.onnx")->info().notes, ::testing::IsEmpty());
  EXPECT_THAT(toy::loaded(onnx_folder + "cnn_9_one.onnx")->info().notes, ::testing::IsEmpty());
  EXPECT_THAT(toy::loaded(onnx_folder + "timewise_13_any.onnx")->info().notes, ::testing::IsEmpty());
  EXPECT_THAT(toy::loaded(onnx_folder + "timewise_13_one.onnx")->info().notes,
              ::testing::ElementsAre(EndsWith("has a fixed batch size of 1")));
}

// A class token that was expanded to one row when the file was made.
TEST_F(Handmade, AConstantOfOneRowStandsForAll) {
  File file = begin(1);
  file.floats("one", {1, 1}, {1});
  file.integers("shape", {1, 3});
  file.node("Flatten", {"x"}, {"flat"});
  file.node("ReduceMax", {"x"}, {"top"}).add_attribute()->CopyFrom([] {
    ::onnx::NodeProto node;
    File::attribute(node, "axes", onnx_files::Sizes{2, 3});
    return node.attribute(0);
  }());
  file.integers("three", {1, 1, 1, 1});
  file.node("Reshape", {"top", "three"}, {"top1"});
  file.node("Flatten", {"top1"}, {"top2"});
  auto& join = file.node("Concat", {"one", "top2", "top2", "top2"}, {"four"});
  File::attribute(join, "axis", 1);
  file.node("Add", {"four", "flat"}, {"sum"});
  file.node("MatMul", {"sum", "w"}, {"y"});
  const auto model = load(file);
  EXPECT_THAT(model->info().notes, ::testing::IsEmpty());
  expect_rows_alone(*model, 5);
}

// The mean over the batch would leak from row to row: then each row runs alone, whether the file fixes a batch or not.
TEST_F(Handmade, RowsThatMixRunAlone) {
  for (const std::int64_t rows : {1, -1}) {
    File file = begin(rows);
    auto& mean = file.node("ReduceMean", {"x"}, {"mean"});
    File::attribute(mean, "axes", onnx_files::Sizes{0});
    file.node("Sub", {"x", "mean"}, {"centred"});
    file.node("Add", {"centred", "x"}, {"sum"});
    file.node("Flatten", {"sum"}, {"flat"});
    file.node("MatMul", {"flat", "w"}, {"y"});
    const auto model = load(file);
    EXPECT_THAT(model->info().notes, ::testing::ElementsAre(HasSubstr("has a fixed batch size of 1")));
    expect_rows_alone(*model, 5);
  }
}

// A batch of 4 that cannot be undone: groups of 4, the last of them filled up.
TEST_F(Handmade, AFixedBatchRunsInGroups) {
  File file = begin(4);
  file.integers("shape", {2, 2, 4});
  file.integers("back", {4, 3});
  file.node("Reshape", {"x", "shape"}, {"pairs"});
  file.node("MatMul", {"pairs", "w"}, {"products"});
  file.node("Reshape", {"products", "back"}, {"y"});
  const auto model = load(file);
  EXPECT_THAT(model->info().notes, ::testing::ElementsAre(HasSubstr("has a fixed batch size of 4")));
  expect_rows_alone(*model, 10);
  expect_rows_alone(*model, 4);
}

TEST_F(Handmade, ChannelsMayComeLast) {
  File file;
  file.input("x", {-1, 5, 2, 3});
  file.output("y");
  auto& turn = file.node("Transpose", {"x"}, {"turned"});
  File::attribute(turn, "perm", onnx_files::Sizes{0, 3, 1, 2});
  auto& sums = file.node("ReduceMean", {"turned"}, {"y"});  // the means of the three channels
  File::attribute(sums, "axes", onnx_files::Sizes{2, 3});
  File::attribute(sums, "keepdims", 0);
  const auto model = load(file);
  EXPECT_EQ(model->info().input, (InputShape{3, 5, 2}));
  Images image;
  std::vector<float> pixels(30);
  for (std::size_t i = 0; i < 30; ++i) pixels[i] = static_cast<float>(i / 10) * .25f;
  image.pixels = make_array<float>({1, 3, 5, 2}, pixels);
  const Array logits = model->outputs(image).logits;
  for (std::size_t j = 0; j < 3; ++j) EXPECT_FLOAT_EQ(logits.view<float>()[j], static_cast<float>(j) * .25f);
}

TEST_F(Handmade, FlatRowsTakeImagesOfTheirSize) {
  File file;
  file.input("x", {-1, 4});
  file.output("y");
  file.floats("w", {4, 3}, {1, 2, -1, 0, 1, .5, -2, 1, 1, 3, -1, 0});
  file.node("MatMul", {"x", "w"}, {"y"});
  const auto model = load(file, {1, 2, 2});
  EXPECT_EQ(model->info().input, (InputShape{1, 2, 2}));
  expect_rows_alone(*model, 3);
  EXPECT_FALSE(model->outputs(toy::images(2, {1, 2, 2}, 3)).features.has_value())
      << "a linear model has none";
}

TEST_F(Handmade, OpenSizesAreCheckedWithTheFirstImages) {
  File file;
  file.input("x", {1, 1, -1, -1});
  file.output("y");
  file.floats("w", {3, 1, 1, 1}, {1, 2, 3});
  file.node("Conv", {"x", "w"}, {"maps"});
  file.node("GlobalAveragePool", {"maps"}, {"y"});  // (n,3,1,1)
  const auto model = load(file);
  EXPECT_FALSE(model->info().input.known());
  expect_rows_alone(*model, 3);
  EXPECT_EQ(model->outputs(toy::images(2, {1, 9, 5}, 3)).k(), 3U);
}

TEST_F(Handmade, TwoOutputsAreLogitsAndFeatures) {
  File file = begin(-1);
  file.node("Flatten", {"x"}, {"f"});
  file.node("MatMul", {"f", "w"}, {"y"});
  file.output("f");
  const Outputs outputs = load(file)->outputs(toy::images(3, {1, 2, 2}, 3));
  ASSERT_TRUE(outputs.features.has_value());
  EXPECT_EQ(outputs.features->shape, (std::vector<std::size_t>{3, 4}));
}

TEST_F(Handmade, WhatIsNotUnderstoodIsRefusedByName) {
  const auto with = [&](const auto& change) {
    File file = begin(-1);
    auto& node = file.node("Flatten", {"x"}, {"flat"});
    file.node("MatMul", {"flat", "w"}, {"y"});
    change(file, node);
    return refused(file);
  };
  const auto expect = [](const std::string& message, const std::string& expected, const std::string& found) {
    EXPECT_THAT(message, ::testing::AllOf(HasSubstr("expected " + expected), EndsWith("found " + found)));
  };
  const std::string named =
      with([](File&, auto& node) { node.set_op_type("Frobnicate"), node.set_name("f1"); });
  expect(named, "an operator that leeway supports", "'Frobnicate'");
  EXPECT_THAT(named, ::testing::StartsWith("m: node 'f1' (Frobnicate, opset 13)"));
  expect(with([](File&, auto& node) { node.set_domain("com.microsoft"); }), "an operator", "'Flatten'");
  expect(with([](File&, auto& node) { File::attribute(node, "spin", 1); }), "attributes", "'spin'");
  expect(with([](File&, auto& node) { File::attribute(node, "axis", onnx_files::Sizes{1}); }),
         "an integer as attribute axis", "something else");
  expect(with([](File&, auto& node) { node.add_input("w"); }), "1 inputs", "2");
  expect(with([](File& file, auto&) { file.model.mutable_opset_import(0)->set_version(22); }),
         "opset 6 to 21", "opset 22");
  expect(with([](File& file, auto&) { file.input("z", {1}); }), "a model with one input", "2 inputs");
  expect(with([](File& file, auto&) {
           file.output("flat");
           file.output("x1");
           file.node("Relu", {"x"}, {"x1"});
         }),
         "one output (logits)", "3 outputs: y, flat, x1");
  expect(with([](File& file, auto&) {
           file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
               ::onnx::TensorProto::BOOL);
         }),
         "an input 'x' of numbers", "bool");
  EXPECT_THAT(with([](File&, auto& node) { File::attribute(node, "axis", 9); }), HasSubstr("axis 9 of 4"));
}

TEST_F(Handmade, ATrainingFormIsRefused) {
  File file = begin(-1, 15);
  for (const char* name : {"s", "b", "m", "v"}) file.floats(name, {1}, {1});
  auto& norm = file.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"normed"});
  File::attribute(norm, "training_mode", 1);
  file.node("Flatten", {"normed"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"y"});
  EXPECT_THAT(refused(file), Says("m: node 'normed' (BatchNormalization, opset ... found training_mode 1"));
}

TEST_F(Handmade, NodesThatNobodyNeedsDoNotMatter) {
  File file = begin(-1);
  file.node("Frobnicate", {"x"}, {"unused"});
  file.node("Flatten", {"x"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"y"});
  expect_rows_alone(*load(file), 2);
}

TEST_F(Handmade, AShapeOfRealNumbersIsRefused) {
  File file = begin(-1);
  file.node("Reshape", {"x", "w"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"y"});
  EXPECT_THAT(refused(file), Says("m: node 'flat' ... found \"fractions where integers are required\""));
}

TEST_F(Handmade, HugeShapesAreRefused) {
  File file = begin(-1);
  file.integers("shape", {1 << 20, 1 << 20});
  file.node("ConstantOfShape", {"shape"}, {"zeros"});
  file.node("Add", {"x", "zeros"}, {"sum"});
  file.node("Flatten", {"sum"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"y"});
  EXPECT_EQ(refused(file),
            "m: node 'zeros' (ConstantOfShape, opset 13): expected constants with matching shapes, found "
            "\"m: node 'zeros' (ConstantOfShape, opset 13): more than 2^30 elements in one result\"");
}

TEST_F(Handmade, IsTakenByContentAndByName) {
  File file = begin(-1);
  file.node("Flatten", {"x"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"y"});
  std::ofstream(folder_ / "model.bin", std::ios::binary) << file.bytes();
  EXPECT_EQ(toy::loaded(folder_ / "model.bin")->info().format, "onnx");
  std::ofstream(folder_ / "bad.onnx", std::ios::binary) << "no model";
  EXPECT_REFUSED(toy::loaded(folder_ / "bad.onnx"), "bad.onnx: ... found a damaged or different file");
  EXPECT_REFUSED(toy::loaded(folder_ / "model.bin", "linear"), "found ONNX, which has its own");
}

// The smallest whole number divided by -1, which the processor refuses.
TEST_F(Handmade, ThatCrashesEndsItsOwnProcess) {
  File file = begin(-1);
  const auto whole = [&](const std::string& name, std::int32_t value) {
    auto& tensor = file.tensor(name, {1});
    tensor.set_data_type(::onnx::TensorProto::INT32);
    tensor.add_int32_data(value);
  };
  whole("least", std::numeric_limits<std::int32_t>::min());
  whole("minus", -1);
  file.node("Div", {"least", "minus"}, {"quotient"});
  auto& cast = file.node("Cast", {"quotient"}, {"shift"});
  File::attribute(cast, "to", std::int64_t{::onnx::TensorProto::FLOAT});
  file.node("Flatten", {"x"}, {"flat"});
  file.node("Add", {"flat", "shift"}, {"moved"});
  file.node("MatMul", {"moved", "w"}, {"y"});
  EXPECT_EQ(refused(file, /*trust=*/false),
            "m: expected a program that computes outputs, found one that crashed (signal 8: Floating point "
            "exception)");
}

// LibTorch follows infinite places out of the image.
TEST_F(Handmade, ThatCrashesInItsGradientIsRefused) {
  File file = begin(-1, 16);
  file.floats("places", {1, 4, 4, 2}, std::vector<float>(32, std::numeric_limits<float>::infinity()));
  auto& padding = *file.node("GridSample", {"x", "places"}, {"sampled"}).add_attribute();
  padding.set_name("padding_mode");
  padding.set_type(::onnx::AttributeProto::STRING);
  padding.set_s("reflection");
  File::attribute(file.node("ReduceMean", {"sampled"}, {"mean"}), "keepdims", std::int64_t{0});
  file.node("Flatten", {"x"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"product"});
  file.node("Add", {"product", "mean"}, {"y"});
  const Images images = toy::images(4, {1, 2, 2}, 3);
  const std::string message =
      message_of([&] { (void)load(file, {}, /*trust=*/false)->input_gradients(images, *images.labels); });
  EXPECT_THAT(message, HasSubstr("m.onnx: expected a program that computes outputs, found one that crashed"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

// y = W x of one output, and a Sigmoid behind it: what the flag calls a probability is taken before the Sigmoid.
TEST(OnnxModel, OfASingleOutputIsTwoClasses) {
  const toy::Folder folder;
  for (const bool sigmoid : {false, true}) {
    File file;
    file.input("x", {-1, 4});
    file.output("y", {-1, 1});
    file.floats("w", {4, 1}, {40, -20, 10, 0});
    file.node("MatMul", {"x", "w"}, {sigmoid ? "v" : "y"});
    if (sigmoid) file.node("Sigmoid", {"v"}, {"y"});
    std::ofstream(folder / "m.onnx", std::ios::binary) << file.bytes();
    const Images images = toy::images(6, {1, 2, 2}, 2);
    ModelSource source = toy::source_of(folder / "m.onnx", "", {1, 2, 2});
    const auto bare = session().load(source);
    EXPECT_REFUSED(bare->outputs(images), "--binary logit or --binary prob...");
    source.binary = sigmoid ? Binary::prob : Binary::logit;
    const auto model = session().load(source);
    EXPECT_EQ(model->info().classes, 2U);
    EXPECT_EQ(model->info().notes.size(), sigmoid ? 1U : 0U);
    const Outputs outputs = model->outputs(images);
    for (std::size_t i = 0; i < 6; ++i) {
      const auto x = images.pixels.view<float>().subspan(4 * i, 4);
      EXPECT_EQ(outputs.logits.view<float>()[2 * i], 0);
      EXPECT_NEAR(outputs.logits.view<float>()[2 * i + 1], 40 * x[0] - 20 * x[1] + 10 * x[2], 1e-4);
    }
    EXPECT_EQ(toy::class_gradients(*model, images).view<float>()[4], 40);
  }
}

TEST_F(Handmade, AConstantReshapeOfBatchOneTakesAnyRows) {
  File file = begin(1);
  file.integers("shape", {1, 4});
  file.node("Reshape", {"x", "shape"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"y"});
  const auto model = load(file);
  EXPECT_THAT(model->info().notes, ::testing::IsEmpty());
  expect_rows_alone(*model, 7);
}

}  // namespace leeway::nn::onnx_model_test
