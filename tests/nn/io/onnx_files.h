// Small ONNX models made by hand, through ONNX's own classes.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace leeway::nn::onnx_files {

using Sizes = std::vector<std::int64_t>;  // -1: left open

struct File {
  ::onnx::ModelProto model;

  explicit File(std::int64_t opset = 13) {
    model.set_ir_version(7);
    model.add_opset_import()->set_version(opset);
  }
  [[nodiscard]] ::onnx::GraphProto& graph() { return *model.mutable_graph(); }
  [[nodiscard]] std::string bytes() const { return model.SerializeAsString(); }

  static void describe(::onnx::ValueInfoProto& info, const std::string& name, const Sizes& sizes) {
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    type.mutable_shape();
    for (const std::int64_t size : sizes) {
      auto& dim = *type.mutable_shape()->add_dim();
      if (size < 0)
        dim.set_dim_param("n");
      else
        dim.set_dim_value(size);
    }
  }
  void input(const std::string& name, const Sizes& sizes) { describe(*graph().add_input(), name, sizes); }
  void output(const std::string& name, const Sizes& sizes = {-1, -1}) {
    describe(*graph().add_output(), name, sizes);
  }

  ::onnx::TensorProto& tensor(const std::string& name, const Sizes& sizes) {
    auto& proto = *graph().add_initializer();
    proto.set_name(name);
    for (const std::int64_t size : sizes) proto.add_dims(size);
    return proto;
  }
  void floats(const std::string& name, const Sizes& sizes, const std::vector<float>& values) {
    auto& proto = tensor(name, sizes);
    proto.set_data_type(::onnx::TensorProto::FLOAT);
    for (const float value : values) proto.add_float_data(value);
  }
  void integers(const std::string& name, const Sizes& values) {
    auto& proto = tensor(name, {static_cast<std::int64_t>(values.size())});
    proto.set_data_type(::onnx::TensorProto::INT64);
    for (const std::int64_t value : values) proto.add_int64_data(value);
  }

  ::onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
    auto& proto = *graph().add_node();
    proto.set_op_type(op);
    for (const std::string& input : inputs) proto.add_input(input);
    for (const std::string& output : outputs) proto.add_output(output);
    return proto;
  }
  static void attribute(::onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    auto& proto = *node.add_attribute();
    proto.set_name(name);
    proto.set_type(::onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  static void attribute(::onnx::NodeProto& node, const std::string& name, const Sizes& values) {
    auto& proto = *node.add_attribute();
    proto.set_name(name);
    proto.set_type(::onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) proto.add_ints(value);
  }
};

}  // namespace leeway::nn::onnx_files
