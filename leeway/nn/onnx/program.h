// A graph made ready to run: only what its outputs need, constant parts computed, values freed after their last use.
//
// Error, at construction: operators that leeway does not know, by name, node and opset; attributes it does not know or
// that make no sense. Failures of a run (shapes that do not fit) are std::runtime_error with the node's name. run()
// may be called from several threads at once. Cost of a run beyond LibTorch's own: about a microsecond a node.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {

class Program {
 public:
  // `file` opens error messages. `outputs` are names of values. Constants that are real numbers stand on `device`, where inputs
  // are to be; whole ones, mostly shapes, on the CPU, until a node takes them together with others. `known`: values of inputs
  // that never change.
  Program(const Graph& graph, const std::vector<std::string>& outputs, const std::string& file,
          torch::Device device = torch::kCPU, const std::map<std::string, torch::Tensor>& known = {});

  // One tensor for every input of the graph, in its order; those that no output needs may be undefined.
  [[nodiscard]] Tensors run(const Tensors& inputs, const Batch& batch) const;

  // Numbers in the initializers of real numbers that the outputs need.
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
