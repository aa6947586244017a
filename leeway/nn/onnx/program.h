// A graph prepared for running: needed nodes only, constants folded, values freed after their last use.
//
// Construction Errors: unknown operators (name, node, opset) or attributes. A failing run throws
// std::runtime_error with the node's name. run() is thread-safe. Overhead: about 1 us per node.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {

class Program {
 public:
  // `file` opens error messages. `outputs` are names of values. Real constants are on `device`, like the
  // inputs; integers stay on the CPU until combined with others. `known`: values of constant inputs.
  Program(const Graph& graph, const std::vector<std::string>& outputs, const std::string& file,
          torch::Device device = torch::kCPU, const std::map<std::string, torch::Tensor>& known = {});

  // One tensor per graph input, in order; unneeded ones may be undefined.
  [[nodiscard]] Tensors run(const Tensors& inputs, const Batch& batch) const;

  // Number of real initializer elements that the outputs need.
  [[nodiscard]] std::size_t parameters() const { return parameters_; }

 private:
  using Slot = std::size_t;
  struct Step {
    Kernel kernel;
    std::string where;
    std::vector<Slot> inputs, outputs, last_used;
  };

  [[nodiscard]] Slot slot_of(const std::string& value);
  void add_node(const Graph& graph, const Node& node, const std::string& file);
  void fold(const Kernel& kernel, const Node& node, const Tensors& inputs, const std::string& where);
  void forget_after_last_use();

  std::map<std::string, Slot> slots_;  // while it is built
  Tensors constants_;                  // by slot; undefined: computed by a run
  std::vector<Step> steps_;
  std::vector<Slot> inputs_, outputs_;
  std::size_t parameters_ = 0, folded_bytes_ = 0;
};

}  // namespace leeway::nn::onnx
