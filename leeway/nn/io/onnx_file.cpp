#include "leeway/nn/io/onnx_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <limits>
#include <set>

#include "leeway/core/message.h"
#include "leeway/nn/io/onnx_tensor.h"

namespace leeway::nn::onnx {
namespace {

constexpr std::size_t largest_message = std::numeric_limits<int>::max();

template <class Message>
void parse_message(Message& message, std::span<const std::byte> bytes, std::string_view name,
                   std::string_view expected) {
  const google::protobuf::LogSilencer quiet;  // it would write to standard error
  if (bytes.empty()) refuse(name, expected, "an empty file");
  if (bytes.size() > largest_message)
    refuse(name, "at most 2 GiB (larger models store tensors in separate files)",
           fmt::format("{} bytes", bytes.size()));
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  if (!message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    refuse(name, expected, "a damaged or different file");
}

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

Attribute attribute_of(const ::onnx::AttributeProto& attribute, const std::string& where,
                       const std::vector<std::filesystem::path>& folders) {
  using Proto = ::onnx::AttributeProto;
  if (!attribute.ref_attr_name().empty()) return Unread{};
  const auto type = attribute.type();
  if (type == Proto::FLOAT) return attribute.f();
  if (type == Proto::INT) return std::int64_t{attribute.i()};
  if (type == Proto::STRING) return attribute.s();
  if (type == Proto::TENSOR) return array_of(attribute.t(), where, folders);
  if (type == Proto::FLOATS) return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
  if (type == Proto::INTS) return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
  if (type == Proto::STRINGS)
    return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
  return Unread{};
}

Value value_of(const ::onnx::ValueInfoProto& info, const std::string& where) {
  Value value;
  value.name = info.name();
  if (!info.type().has_tensor_type()) return value;
  const auto& type = info.type().tensor_type();
  value.type = type_name(type.elem_type());
  if (!type.has_shape()) return value;
  value.shape.emplace();
  for (const auto& size : type.shape().dim()) {
    // some exporters write 0 or -1 where they mean any
    const bool fixed = size.has_dim_value() && size.dim_value() > 0;
    if (fixed && size.dim_value() > std::numeric_limits<std::int32_t>::max())
      refuse(where, fmt::format("sizes below 2^31 for {}", in_quotes(value.name)),
             std::to_string(size.dim_value()));
    value.shape->push_back(fixed ? std::int64_t{size.dim_value()} : any_size);
  }
  return value;
}

class GraphReader {
 public:
  GraphReader(std::string_view name, const std::vector<std::filesystem::path>& folders,
              GraphReader* around = nullptr)
      : name_(name), folders_(folders), around_(around) {}

  [[nodiscard]] Graph read(::onnx::ModelProto& model) {
    if (!model.has_graph()) refuse(name_, "a model with a graph", "none");
    read_opset(model);
    return read(*model.mutable_graph());
  }

  // A branch: it takes nothing but values from around it, which are its inputs.
  [[nodiscard]] Graph read_branch(::onnx::GraphProto proto, const Graph& whole) {
    graph_.opset = whole.opset;
    if (proto.input_size() > 0) refuse(name_, "a graph without inputs", std::to_string(proto.input_size()));
    return read(proto);
  }

 private:
  [[nodiscard]] Graph read(::onnx::GraphProto& proto) {
    if (proto.sparse_initializer_size() > 0)
      refuse(name_, "dense initializers", fmt::format("{} sparse ones", proto.sparse_initializer_size()));
    read_initializers(proto);
    for (const auto& input : proto.input())
      if (!graph_.initializers.contains(input.name())) {
        graph_.inputs.push_back(value_of(input, name_));
        define(input.name());
      }
    for (int i = 0; i < proto.node_size(); ++i) read_node(proto.node(i), i);
    for (const auto& output : proto.output()) {
      if (!known(output.name())) refuse(name_, "outputs that a node produces", in_quotes(output.name()));
      graph_.outputs.push_back(value_of(output, name_));
    }
    if (graph_.outputs.empty()) refuse(name_, "a graph with outputs", "none");
    return std::move(graph_);
  }

  // Made before, here or around; what is made around becomes an input.
  [[nodiscard]] bool known(const std::string& value) {
    if (made_.contains(value) || taken_.contains(value)) return true;
    if (around_ == nullptr || !around_->known(value)) return false;
    taken_.insert(value);
    graph_.inputs.push_back({value, "", {}});
    return true;
  }

  void define(const std::string& value) {
    if (value.empty()) refuse(name_, "values with names", "one without");
    if (taken_.contains(value) || !made_.insert(value).second)
      refuse(name_, "values with different names", in_quotes(value) + " twice");
  }

  void read_opset(const ::onnx::ModelProto& model) {
    for (const auto& opset : model.opset_import())
      if (domain_of(opset.domain()).empty()) graph_.opset = opset.version();
  }

  void read_initializers(::onnx::GraphProto& proto) {
    for (auto& tensor : *proto.mutable_initializer()) {
      define(tensor.name());
      const std::string where = fmt::format("{}: tensor {}", name_, in_quotes(tensor.name()));
      graph_.initializers.emplace(tensor.name(), array_of(tensor, where, folders_));
      tensor.Clear();  // of large models not all tensors twice
    }
  }

  void read_node(const ::onnx::NodeProto& proto, int number) {
    Node node;
    node.op = proto.op_type();
    node.domain = domain_of(proto.domain());
    node.name = proto.name();
    const std::string where =
        fmt::format("{}: node {} ({})", name_,
                    node.name.empty() ? std::to_string(number) : in_quotes(node.name), printable(node.op));
    if (node.op.empty()) refuse(where, "an operator", "none");
    if (node.domain.empty() && graph_.opset < 1) refuse(name_, "the opset of ONNX's own operators", "none");
    for (const std::string& input : proto.input()) {
      if (!input.empty() && !known(input))
        refuse(where, "inputs that earlier nodes produce", in_quotes(input));
      node.inputs.push_back(input);
    }
    const bool branches = node.domain.empty() && node.op == "If";
    for (const std::string& output : proto.output()) {
      if (!output.empty()) define(output);
      node.outputs.push_back(output);
    }
    for (const auto& attribute : proto.attribute()) {
      const std::string named = fmt::format("{}: {}", where, printable(attribute.name()));
      Attribute value = branches && attribute.has_g() ? branch_of(attribute.g(), named, node)
                                                      : attribute_of(attribute, named, folders_);
      if (!node.attributes.emplace(attribute.name(), std::move(value)).second)
        refuse(where, "attributes with different names", in_quotes(attribute.name()) + " twice");
    }
    graph_.nodes.push_back(std::move(node));
  }

  // The inputs of the branch become inputs of the node, each once.
  [[nodiscard]] Attribute branch_of(const ::onnx::GraphProto& proto, const std::string& where, Node& node) {
    auto branch =
        std::make_shared<const Graph>(GraphReader(where, folders_, this).read_branch(proto, graph_));
    for (const Value& taken : branch->inputs)
      if (std::ranges::find(node.inputs, taken.name) == node.inputs.end()) node.inputs.push_back(taken.name);
    return branch;
  }

  std::string name_;
  const std::vector<std::filesystem::path>& folders_;
  GraphReader* around_;
  std::set<std::string> made_, taken_;
  Graph graph_;
};

}  // namespace

Graph parse_onnx(std::span<const std::byte> bytes, std::string_view name,
                 const std::vector<std::filesystem::path>& folders) {
  ::onnx::ModelProto model;
  parse_message(model, bytes, name, "an ONNX model");
  return GraphReader(name, folders).read(model);
}

Graph read_onnx(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  return parse_onnx(file.bytes, display_name(path),
                    {path.parent_path(), std::filesystem::canonical(path).parent_path()});
}

Array parse_onnx_tensor(std::span<const std::byte> bytes, std::string_view name) {
  ::onnx::TensorProto tensor;
  parse_message(tensor, bytes, name, "an ONNX tensor");
  return array_of(tensor, std::string(name), {});
}

bool looks_like_onnx(std::span<const std::byte> bytes) {
  // Field 1 is the version, a small number; the next field of the message is one of these, as its key says.
  constexpr std::string_view keys("\x12\x1a\x22\x28\x32\x3a\x42\x72\xa2\xca", 10);
  return bytes.size() > 3 && bytes[0] == std::byte{8} && bytes[1] > std::byte{0} &&
         bytes[1] < std::byte{32} && keys.find(static_cast<char>(bytes[2])) != std::string_view::npos;
}

}  // namespace leeway::nn::onnx
