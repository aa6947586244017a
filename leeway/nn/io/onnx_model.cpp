#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/io/graph_model.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/io/onnx_head.h"
#include "leeway/nn/onnx/program.h"

namespace leeway::nn {
namespace {

// Batch statistics make rows depend on each other.
void refuse_training_form(const onnx::Graph& graph, const std::string& name) {
  for (const onnx::Node& node : graph.nodes)
    if (onnx::integer_attribute(node, "training_mode", 0) != 0)
      refuse(onnx::place_of(node, graph.opset, name), "a model exported for prediction", "training_mode 1");
}

std::vector<Layer> layers_of(const onnx::Graph& graph) {
  std::vector<Layer> layers;
  for (const onnx::Node& node : graph.nodes) {
    Layer layer{
        node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name, node.op, {}, 0};
    for (const std::string& input : node.inputs)
      if (const auto found = graph.initializers.find(input); found != graph.initializers.end()) {
        if (layer.shape.empty() && found->second.shape.size() > 1) layer.shape = found->second.shape_text();
        layer.parameters += found->second.size();
      }
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

LoadedProgram load_onnx(ModelInfo info, const InputShape& given, torch::Device device,
                        const std::function<void()>& before_running) {
  const std::string name = display_name(info.path);
  const onnx::Graph graph = onnx::read_onnx(info.path);
  before_running();
  if (graph.opset > onnx::newest_opset)
    refuse(name, fmt::format("opset 6 to {} (an option of exporters)", onnx::newest_opset),
           fmt::format("opset {}", graph.opset));
  refuse_training_form(graph, name);
  info.layers = layers_of(graph);
  std::size_t parameters = 0;
  const auto prepare = [&](const std::vector<std::string>& outputs) {
    auto program = std::make_shared<const onnx::Program>(graph, outputs, name, device);
    parameters = program->parameters();
    return [program](const torch::Tensor& x, const onnx::Batch& batch) { return program->run({x}, batch); };
  };
  LoadedProgram loaded = make_graph_model(std::move(info), graph, given, device, prepare);
  loaded.info.parameters = parameters;
  return loaded;
}

}  // namespace leeway::nn
