// Graphs that compute with whole numbers, graphs of bytes, and ones made for a fixed number of rows.
#include <gmock/gmock.h>

#include "tests/nn/onnx/handmade.h"

namespace leeway::nn::quantised_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// logits = W x with x and W through 8 bits: whole numbers of a scale of 1/2 are exact.
TEST_F(Handmade, QuantisedGraphsHaveOutputsAndNoGradients) {
  File file = begin(-1, 21);
  file.floats("half", {}, {.5});
  file.node("Flatten", {"x"}, {"flat"});
  file.node("QuantizeLinear", {"flat", "half"}, {"q"});
  file.node("DequantizeLinear", {"q", "half"}, {"back"});
  file.node("MatMul", {"back", "w"}, {"y"});
  const auto model = load(file);
  EXPECT_THAT(model->info().notes, ElementsAre(HasSubstr("it has outputs, but no gradients")));
  Images images{"", make_array<float>({2, 1, 2, 2}, {0, .5, 1, .4f, 1, 0, 0, 0}), {}};
  const Array logits = model->outputs(images).logits;
  EXPECT_THAT(logits.view<float>(), ElementsAre(-.5f, 1, 1.25f, 1, 2, -1));  // .4 is rounded to .5
  EXPECT_REFUSED(toy::attacked(*model, images, {}), "expected a model with input gradients...");
}

// As exporters of dynamic quantisation write it. The scale is that of the rows that run together: each runs alone.
TEST_F(Handmade, DynamicallyQuantisedRowsRunAlone) {
  File file = begin(-1, 13);
  auto& weight = file.tensor("q", {4, 3});
  weight.set_data_type(::onnx::TensorProto::INT8);
  for (const int value : {1, 2, -1, 0, 1, 5, -2, 1, 1, 3, -1, 0}) weight.add_int32_data(value);
  file.node("Flatten", {"x"}, {"flat"});
  file.node("DynamicQuantizeLinear", {"flat"}, {"xq", "scale", "zero"});
  file.node("MatMulInteger", {"xq", "q", "zero"}, {"sums"});
  auto& cast = file.node("Cast", {"sums"}, {"real"});
  File::attribute(cast, "to", 1);
  file.node("Mul", {"real", "scale"}, {"y"});
  const auto model = load(file, {1, 2, 2});
  Images images{"", make_array<float>({2, 1, 2, 2}, {1, 0, 0, 0, .01f, 0, 0, 0}), {}};
  const auto logits = model->outputs(images).logits;
  const auto values = logits.view<float>();
  EXPECT_NEAR(values[1], 2, 1e-6);
  EXPECT_NEAR(values[4], .02, 1e-8) << "in steps of the row's own range, not of its neighbour's";
}

TEST_F(Handmade, AGraphOfBytesTakesPixelsFrom0To255) {
  File file = begin(-1);
  file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      ::onnx::TensorProto::UINT8);
  auto& cast = file.node("Cast", {"x"}, {"real"});
  File::attribute(cast, "to", 1);
  file.node("Flatten", {"real"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"y"});
  const auto model = load(file);
  EXPECT_EQ(model->info().normalization.scale, 255);
  Images images{"", make_array<std::uint8_t>({1, 1, 2, 2}, {7, 0, 0, 0}), {}};
  const Array logits = model->outputs(images).logits;
  EXPECT_THAT(logits.view<float>(), ElementsAre(7, 14, -7));
}

// 789,444 rows are in the shapes of one graph, which runs on any number; and in the constants of another, which says what it would cost.
TEST_F(Handmade, AHugeFixedBatchIsNotRunToSeeWhatItDoes) {
  constexpr std::int64_t rows = 789444;
  File open = begin(rows);
  open.integers("shape", {rows, 4});
  open.node("Reshape", {"x", "shape"}, {"flat"});
  open.node("MatMul", {"flat", "w"}, {"y"});
  const auto model = load(open);
  EXPECT_THAT(model->info().notes, ::testing::IsEmpty());
  expect_rows_alone(*model, 7);
  // 64 rows in its constants: it runs, and says what that costs
  File some(13);
  some.input("x", {64, 1, 2, 2});
  some.output("y");
  some.integers("shape", {4, -1});
  some.node("Reshape", {"x", "shape"}, {"flat"});
  some.node("Transpose", {"flat"}, {"y"});
  EXPECT_THAT(
      load(some)->info().notes,
      ElementsAre(HasSubstr("has a fixed batch size of 64, so that every shard of 32 rows costs as much as "
                            "64 rows, a factor of 2 (export it with a dynamic batch axis)")));
  File shut(13);
  shut.input("x", {rows, 1, 64, 64});
  shut.output("y");
  shut.integers("shape", {3, -1});
  shut.node("Reshape", {"x", "shape"}, {"flat"});
  shut.node("Transpose", {"flat"}, {"y"});
  EXPECT_EQ(refused(shut),
            "m: expected a graph with a dynamic batch axis (see dynamic axes in the exporter), found one for "
            "exactly 789444 rows: every pass would compute all 789444, 12.9 GB for the input alone");
}

// A node If whose branches multiply "flat", from around them, by w or by -w.
::onnx::NodeProto& add_if(File& file, const std::string& condition) {
  auto& node = file.node("If", {condition}, {"y"});
  for (const bool then : {true, false}) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(then ? "then_branch" : "else_branch");
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    auto& graph = *attribute.mutable_g();
    auto& product = *graph.add_node();
    product.set_op_type("MatMul");
    for (const char* const input : {"flat", "w"}) product.add_input(input);
    product.add_output("product");  // the branches may share names
    auto& last = *graph.add_node();
    last.set_op_type(then ? "Identity" : "Neg");
    last.add_input("product");
    last.add_output("logits");
    File::describe(*graph.add_output(), "logits", {-1, 3});
  }
  return node;
}

void add_condition(File& file, bool value) {
  auto& proto = file.tensor("condition", {});
  proto.set_data_type(::onnx::TensorProto::BOOL);
  proto.add_int32_data(value ? 1 : 0);
}

Images first_pixel() {
  Images images{"", make_array<float>({1, 1, 2, 2}, {1, 0, 0, 0}), std::vector<std::int64_t>{2}};
  return images;
}

class Branches : public Handmade {
 protected:
  static File flat() {
    File file = begin(-1);
    file.integers("shape", {-1, 4});
    file.node("Reshape", {"x", "shape"}, {"flat"});
    return file;
  }
};

TEST_F(Branches, AFixedConditionChoosesOnce) {
  for (const bool then : {true, false}) {
    File file = flat();
    add_condition(file, then);
    auto& node = add_if(file, "condition");
    // the operator that leeway does not know is in the branch that never runs
    node.mutable_attribute(then ? 1 : 0)->mutable_g()->mutable_node(0)->set_op_type("Loop");
    const auto model = load(file);
    const float sign = then ? 1 : -1;
    EXPECT_THAT(model->outputs(first_pixel()).logits.view<float>(), ElementsAre(sign, 2 * sign, -sign));
    expect_rows_alone(*model, 5);
  }
}

// Where the first pixel of all rows sums to more than 0.
TEST_F(Branches, AConditionOfTheRunChoosesEachTime) {
  File file = flat();
  file.integers("axes", {0, 1, 2, 3});
  file.floats("zero", {}, {0});
  File::attribute(file.node("ReduceSum", {"x", "axes"}, {"sum"}), "keepdims", 0);
  file.node("Greater", {"sum", "zero"}, {"condition"});
  add_if(file, "condition");
  const auto model = load(file);
  Images images = first_pixel();
  EXPECT_THAT(model->outputs(images).logits.view<float>(), ElementsAre(1, 2, -1));
  EXPECT_EQ(model->input_gradients(images, {2}).size(), 4U);  // they go through the branch
  images.pixels = make_array<float>({1, 1, 2, 2}, {0, 0, 0, 0});
  EXPECT_THAT(model->outputs(images).logits.view<float>(), ElementsAre(0, 0, 0));
}

TEST_F(Branches, WhatDoesNotFitIsRefused) {
  File file = flat();
  add_condition(file, true);
  auto& node = add_if(file, "condition");
  node.mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(0, "nothing");
  EXPECT_THAT(refused(file), HasSubstr("expected inputs that earlier nodes produce, found 'nothing'"));
  file = flat();
  add_condition(file, true);
  add_if(file, "condition").mutable_attribute()->RemoveLast();
  EXPECT_THAT(refused(file), HasSubstr("expected the attribute else_branch, found none"));
  file = flat();
  add_condition(file, true);
  File::describe(*add_if(file, "condition").mutable_attribute(0)->mutable_g()->add_output(), "product",
                 {-1, 3});
  EXPECT_THAT(refused(file), HasSubstr("expected 1 outputs of then_branch, found 2"));
  file = flat();
  add_condition(file, true);
  File::describe(*add_if(file, "condition").mutable_attribute(0)->mutable_g()->add_input(), "more", {-1, 3});
  EXPECT_THAT(refused(file), HasSubstr("expected a graph without inputs, found 1"));
}

}  // namespace leeway::nn::quantised_test
