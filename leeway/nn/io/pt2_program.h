// Runs the operators of a .pt2 archive by LibTorch's dispatcher, which knows every operator of ATen by name, with
// gradients.
//
// Construction Errors: operators outside ATen, apart from the arithmetic of sizes; operators and arguments that this
// LibTorch does not know; training mode; arguments of another type. A failing run throws std::runtime_error with the
// operator's name. run() is thread-safe.
#pragma once

#include <torch/script.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "leeway/nn/io/pt2_file.h"

namespace leeway::nn::pt2 {

class Program {
 public:
  // `outputs` are names of values; `file` opens error messages. The weights are on `device`, like the input.
  Program(const Graph& graph, const std::vector<std::string>& outputs, const std::string& file,
          torch::Device device);

  [[nodiscard]] std::vector<torch::Tensor> run(const torch::Tensor& x) const;

 private:
  using Value = torch::jit::IValue;
  using Values = std::vector<Value>;
  // An argument, from the values so far.
  using Operand = std::function<Value(const Values& values)>;
  struct Step {
    std::function<void(torch::jit::Stack& stack)>
        call;  // takes the arguments from the stack, leaves the results
    std::string where;
    std::vector<Operand> operands;
    std::vector<std::size_t> outputs, last_used;
    bool returns_list = false;
  };

  [[nodiscard]] std::size_t slot_of(const std::string& value);
  void add_node(const Node& node, const std::string& file);
  [[nodiscard]] static c10::FunctionSchema find_operator(const std::string& target, Step& step);
  void add_operator(const Node& node, Step& step);
  [[nodiscard]] Value value_of(const Argument& argument) const;
  [[nodiscard]] Operand operand(const Argument& argument, const c10::TypePtr& type, Step& step);
  [[nodiscard]] Operand list(const std::vector<Argument>& list, const c10::TypePtr& type, Step& step);
  void forget_after_last_use();

  torch::Device device_;
  std::map<std::string, std::size_t> slots_;  // of values by name
  Values constants_;                          // by slot; None: computed by a run
  std::vector<Step> steps_;
  std::size_t input_ = 0;
  std::vector<std::size_t> outputs_;
  bool writes_ = false;                 // some operator changes its arguments
  std::vector<torch::Tensor> weights_;  // which it may not change; empty where none does
};

}  // namespace leeway::nn::pt2
