
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/nn/io/graph_model.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/pt2_file.h"
#include "leeway/nn/io/pt2_program.h"

namespace leeway::nn {
namespace {

// Operators at the end of a graph under their names in ONNX: what decides on logits and features reads these.
struct AtenName {
  std::string_view aten, onnx;
};
constexpr AtenName known_names[] = {{"softmax", "Softmax"},
                                    {"_softmax", "Softmax"},
                                    {"sigmoid", "Sigmoid"},
                                    {"linear", "Gemm"},
                                    {"mm", "MatMul"},
                                    {"matmul", "MatMul"},
                                    {"add", "Add"},
                                    {"sub", "Sub"},
                                    {"dropout", "Dropout"},
                                    {"clone", "Identity"},
                                    {"contiguous", "Identity"},
                                    {"alias", "Identity"},
                                    {"to", "Cast"},
                                    {"_to_copy", "Cast"},
                                    {"flatten", "Flatten"},
                                    {"view", "Reshape"},
                                    {"reshape", "Reshape"},
                                    {"squeeze", "Squeeze"}};

// "conv2d" of "torch.ops.aten.conv2d.default".
std::string short_name(std::string target) {
  constexpr std::string_view prefix = "torch.ops.aten.";
  if (target.starts_with(prefix)) target.erase(0, prefix.size());
  return target.substr(0, target.find('.'));
}

onnx::Node outline_of(const pt2::Node& node) {
  onnx::Node outline;
  outline.op = short_name(node.target);
  const auto* const known = std::ranges::find(known_names, outline.op, &AtenName::aten);
  if (known != std::end(known_names)) outline.op = known->onnx;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const pt2::Argument& argument = node.arguments[i];
    if (argument.kind == pt2::Kind::reference) outline.inputs.push_back(argument.text);
    if (argument.kind == pt2::Kind::list)
      for (const pt2::Argument& one : argument.list)
        if (one.kind == pt2::Kind::reference) outline.inputs.push_back(one.text);
    if (argument.kind == pt2::Kind::integer && node.names[i] == "dim")
      outline.attributes["axis"] = argument.integer;
  }
  outline.outputs = node.outputs;
  return outline;
}

// The graph without its arithmetic: input, outputs and what depends on what. Entries of a dictionary are values of these
// names.
onnx::Graph outline_of(const pt2::Graph& graph) {
  onnx::Graph outline;
  outline.opset = onnx::newest_opset;
  outline.inputs.push_back({graph.input, graph.input_type, graph.shape});
  for (const pt2::Node& node : graph.nodes) outline.nodes.push_back(outline_of(node));
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    std::string name = graph.outputs[i];
    if (!graph.output_names.empty()) {
      onnx::Node entry;
      entry.op = "Identity";
      entry.inputs = {std::exchange(name, graph.output_names[i])};
      entry.outputs = {name};
      outline.nodes.push_back(std::move(entry));
    }
    outline.outputs.push_back({name, "", std::nullopt});
  }
  return outline;
}

// The values of these names, where entries of a dictionary are named.
std::vector<std::string> values_of(const pt2::Graph& graph, std::vector<std::string> names) {
  for (std::string& name : names) {
    const auto entry = std::ranges::find(graph.output_names, name);
    if (entry != graph.output_names.end())
      name = graph.outputs[static_cast<std::size_t>(entry - graph.output_names.begin())];
  }
  return names;
}

// A layer is what has parameters "NAME.weight", "NAME.bias"; its type is the operator that takes the first of them.
std::vector<Layer> layers_of(const pt2::Graph& graph) {
  std::map<std::string, std::string> users;
  for (const pt2::Node& node : graph.nodes)
    for (const std::string& input : outline_of(node).inputs) users.emplace(input, short_name(node.target));
  std::vector<Layer> layers;
  for (const pt2::Weight& weight : graph.weights) {
    if (!weight.is_parameter) continue;
    const std::size_t dot = weight.parameter.rfind('.');
    const std::string name = dot == std::string::npos ? weight.parameter : weight.parameter.substr(0, dot);
    if (layers.empty() || layers.back().name != name)
      layers.push_back({name, users[weight.value], weight.array.shape_text(), 0});
    layers.back().parameters += weight.array.size();
  }
  return layers;
}

}  // namespace

LoadedProgram load_pt2(ModelInfo info, const InputShape& given, torch::Device device,
                       const std::function<void()>& before_running) {
  const std::string name = display_name(info.path);
  const pt2::Graph graph = pt2::read_pt2(info.path);
  before_running();
  info.layers = layers_of(graph);
  for (const Layer& layer : info.layers) info.parameters += layer.parameters;
  const auto prepare = [&](const std::vector<std::string>& outputs) {
    const auto program = std::make_shared<const pt2::Program>(graph, values_of(graph, outputs), name, device);
    return [program](const torch::Tensor& x, const onnx::Batch&) { return program->run(x); };
  };
  return make_graph_model(std::move(info), outline_of(graph), given, device, prepare);
}

}  // namespace leeway::nn
