// A graph prepared for running: needed nodes only, constants folded, values freed after their last use.
//
// Construction Errors: unknown operators (name, node, opset) or attributes. A failing run throws
// std::runtime_error with the node's name. run() is thread-safe. Overhead: about 1 us per node.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/model/architecture.h"
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

// The input of a graph to its outputs.
using RunGraph = std::function<Tensors(const torch::Tensor& x, const Batch& batch)>;

// Runs a graph on any number of rows.
//
// A graph exported with batch b has b in its shapes, which onnx/shapes.cpp replaces where possible. This is
// checked once per image shape: more than b rows together must match the same rows b at a time to 1e-3 of the
// largest output. Otherwise all runs have b rows, the last padded with copies: slower but exact. For b >
// most_checked, three rows are first compared with single rows; if they differ and b rows exceed
// most_numbers, the model is refused. Open batches are compared with single rows. Thread-safe.

inline constexpr std::int64_t most_checked = 64;
inline constexpr std::int64_t most_numbers = std::int64_t{1} << 28;  // of the input of one run: 1 GiB

class RowRunner {
 public:
  // `graph` gives logits and, if has_features, features. The check's inputs are uniform in [0, scale).
  RowRunner(RunGraph graph, bool has_features, std::int64_t declared_batch, double scale, std::string name);

  // x (n, ...) as the graph takes it. Logits (n,k); (n,k,1,1) is squeezed.
  [[nodiscard]] Forward operator()(const torch::Tensor& x) const;

  // The check alone, for rows of this type and shape (without the batch).
  [[nodiscard]] bool goes_together(const torch::Tensor& like) const;

 private:
  [[nodiscard]] Forward run(const torch::Tensor& x) const;
  [[nodiscard]] Forward run_in_groups(const torch::Tensor& x, std::int64_t group) const;
  [[nodiscard]] bool check(const torch::Tensor& like) const;
  [[nodiscard]] bool agrees_in_groups(const torch::Tensor& like, std::int64_t rows, std::int64_t group) const;

  RunGraph graph_;
  bool has_features_;
  std::int64_t declared_, group_;
  double scale_;
  std::string name_;  // of the file
  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::int64_t>, bool> together_;  // by shape without the batch
};

}  // namespace leeway::nn::onnx
