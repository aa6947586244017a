// Finds the logits and features of a graph.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/io/outputs.h"
#include "leeway/nn/io/onnx_file.h"

namespace leeway::nn::onnx {

struct Head {
  std::string logits, features;    // names of values; features may be ""
  std::vector<std::string> notes;  // what was decided about them, one line each
  bool logit_of_sigmoid = false;   // of a single output: `logits` is what goes into a Sigmoid
};

// `otherwise` where the node lacks the attribute.
[[nodiscard]] std::int64_t integer_attribute(const Node& node, const std::string& name,
                                             std::int64_t otherwise);

// Which of two outputs without names are the logits, of TorchScript as well, and a line that says so: the first,
// unless the second alone has as many columns as there are classes. 0: unknown.
struct PairOfOutputs {
  bool logits_second = false;
  std::string note;
};
[[nodiscard]] PairOfOutputs read_pair(const std::string& name, std::size_t first, std::size_t second,
                                      std::size_t classes);

// Logits: the output "logits", else of at most two outputs the one beside "features", the one of `classes`
// columns (read_pair, which notes the choice), or the first. A final Softmax over the classes
// (ignoring Identity, Cast and Dropout after it) is removed: its gradients vanish for confident rows. So is a
// Sigmoid if `binary` says that a single output is a probability. Features: the second output, else the input
// of the last matrix product with constant weights, unless it is the image. Error for other numbers of
// outputs.
[[nodiscard]] Head find_head(const Graph& graph, const std::string& file, Binary binary = Binary::refuse,
                             std::size_t classes = 0);

}  // namespace leeway::nn::onnx
