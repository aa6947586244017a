// Finds the logits and features of a graph.
#pragma once

#include <string>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/nn/io/onnx_file.h"

namespace leeway::nn::onnx {

struct Head {
  std::string logits, features;    // names of values; features may be ""
  std::vector<std::string> notes;  // what was decided about them, one line each
  bool logit_of_sigmoid = false;   // of a single output: `logits` is what goes into a Sigmoid
};

// Logits: the output "logits", else the first of at most two outputs. A final Softmax over the classes
// (ignoring Identity, Cast and Dropout after it) is removed: its gradients vanish for confident rows. So is a
// Sigmoid if `binary` says that a single output is a probability. Features: the second output, else the input
// of the last matrix product with constant weights, unless it is the image. Error for other numbers of
// outputs.
[[nodiscard]] Head find_head(const Graph& graph, const std::string& file, Binary binary = Binary::refuse);

}  // namespace leeway::nn::onnx
