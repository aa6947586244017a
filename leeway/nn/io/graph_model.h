// What graphs of files (ONNX, .pt2) have in common: which of their values are logits and features, how images become
// their input, and how many rows run together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "leeway/nn/io/load.h"
#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/onnx/program.h"

namespace leeway::nn {

// Makes what runs the graph, for the values of these names.
using PrepareGraph = std::function<onnx::RunGraph(const std::vector<std::string>& outputs)>;

// `graph` describes input and outputs; of its nodes, those at the end tell logits and features (io/onnx_head.h). Images:
// as for load_onnx.
[[nodiscard]] LoadedProgram make_graph_model(ModelInfo info, const onnx::Graph& graph,
                                             const InputShape& given, torch::Device device,
                                             const PrepareGraph& prepare);

}  // namespace leeway::nn
