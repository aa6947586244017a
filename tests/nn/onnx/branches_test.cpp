// If: branches by a condition that never changes and by one of the run, and what is refused.
#include <gmock/gmock.h>

#include "tests/nn/onnx/handmade.h"

namespace leeway::nn::branches_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  Images images;
  images.pixels = make_array<float>({1, 1, 2, 2}, {1, 0, 0, 0});
  images.labels = {2};
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
    // what leeway does not know stands in the branch that never runs
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

}  // namespace leeway::nn::branches_test
