// If: one of two graphs, by a scalar condition. A branch is a program whose inputs are the outer values it
// uses. With a constant condition the other branch is ignored: exporters write unsupported operators there.
#include <fmt/format.h>

#include <memory>

#include "leeway/nn/onnx/operator.h"
#include "leeway/nn/onnx/program.h"

namespace leeway::nn::onnx {
namespace {

struct Branch {
  std::shared_ptr<const Program> program;
  std::vector<std::size_t> taken;  // which inputs of the node
};

Branch branch_of(Call& call, const std::string& attribute) {
  const std::shared_ptr<const Graph> graph = call.graph(attribute);
  if (graph->outputs.size() != call.outputs())
    call.fail(fmt::format("{} outputs of {}", call.outputs(), attribute),
              std::to_string(graph->outputs.size()));
  Branch branch;
  std::map<std::string, torch::Tensor> known;
  for (const Value& input : graph->inputs) {
    branch.taken.push_back(call.place_of_input(input.name));
    if (const torch::Tensor constant = call.constant(branch.taken.back()); constant.defined())
      known[input.name] = constant;
  }
  std::vector<std::string> outputs;
  for (const Value& output : graph->outputs) outputs.push_back(output.name);
  branch.program =
      std::make_shared<const Program>(*graph, outputs, call.where() + ": " + attribute, torch::kCPU, known);
  return branch;
}

bool holds(const torch::Tensor& condition) {
  TORCH_CHECK(condition.numel() == 1, "a condition of one element, not of ", condition.numel());
  return condition.item<bool>();
}

}  // namespace

static Kernel prepare_if(Call& call) {
  const torch::Tensor condition = call.constant(0);
  const bool fixed = condition.defined();
  Branch then_branch, else_branch;
  if (!fixed || holds(condition)) then_branch = branch_of(call, "then_branch");
  if (!fixed || !holds(condition)) else_branch = branch_of(call, "else_branch");
  for (const char* const attribute : {"then_branch", "else_branch"}) (void)call.graph(attribute);
  return [then_branch, else_branch](const Tensors& in, const Batch& batch) {
    const Branch& branch = holds(in[0]) ? then_branch : else_branch;
    Tensors taken;
    for (const std::size_t place : branch.taken) taken.push_back(in[place]);
    return branch.program->run(taken, batch);
  };
}

static constexpr Operator branches_table[] = {{"If", prepare_if, 1, any_number, any_number}};

std::span<const Operator> branches_operators() { return branches_table; }

}  // namespace leeway::nn::onnx
