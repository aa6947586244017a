// The last nodes of a graph: where its logits and features are.
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

// Logits: the output named "logits", else the first of one or two outputs. Where a Softmax over the classes makes them
// (Identity, Cast and Dropout behind it do not count), they are its input: probabilities have lost what logits say of
// confident rows, and their gradients vanish. Likewise a Sigmoid, where `binary` says that a single output, declared as one, is
// a probability. Features: the second of two outputs; else the input of the matrix product
// with constant weights that makes the logits, unless that is the image itself. Error for other numbers of outputs.
[[nodiscard]] Head find_head(const Graph& graph, const std::string& file, Binary binary = Binary::refuse);

}  // namespace leeway::nn::onnx
