#include "leeway/nn/io/torchscript_head.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace leeway::nn {
namespace {

// What hands its first input on: the same numbers, or the same rounded.
bool torchscript_head_passes_on(const torch::jit::Node& node) {
  static const c10::Symbol kinds[] = {c10::aten::to,    c10::aten::type_as, c10::aten::contiguous,
                                      c10::aten::clone, c10::aten::detach,  c10::aten::dropout,
                                      c10::aten::alias};
  return !node.inputs().empty() && std::ranges::find(kinds, node.kind()) != std::end(kinds);
}

bool is_softmax_over_classes(const torch::jit::Node& node) {
  if (node.kind() != c10::aten::softmax && node.kind() != c10::aten::_softmax) return false;
  const auto dimension = torch::jit::constant_as<std::int64_t>(node.input(1));
  return dimension && (*dimension == 1 || *dimension == -1);
}

}  // namespace

std::shared_ptr<torch::jit::GraphFunction> without_softmax(const torch::jit::Module& module) {
  const auto method = module.find_method("forward");
  if (!method) return nullptr;
  std::shared_ptr<torch::jit::Graph> graph = method->graph()->copy();
  torch::jit::Inline(*graph);
  torch::jit::ConstantPropagation(graph);  // functional.softmax chooses by whether a type was given
  if (graph->outputs().size() != 1) return nullptr;
  torch::jit::Node* user = graph->return_node();
  torch::jit::Node* const returned = user->input(0)->node();
  if (returned->kind() == c10::prim::TupleConstruct && returned->inputs().size() == 2) user = returned;
  torch::jit::Node* last = user->input(0)->node();
  while (torchscript_head_passes_on(*last)) last = last->input(0)->node();
  if (!is_softmax_over_classes(*last)) return nullptr;
  user->replaceInput(0, last->input(0));
  torch::jit::EliminateDeadCode(graph);
  auto function = std::make_shared<torch::jit::GraphFunction>("forward", graph, nullptr);
  function->setSchema(method->function().getSchema());
  return function;
}

bool are_probabilities(const torch::Tensor& rows) {
  constexpr double rounding = 1e-3;
  if (rows.dim() != 2 || rows.size(1) < 2 || !rows.is_floating_point()) return false;
  const torch::Tensor p = rows.to(torch::kFloat64);
  return p.ge(0).all().item<bool>() && p.sum(1).sub(1).abs().le(rounding).all().item<bool>();
}

torch::Tensor logarithms(const torch::Tensor& probabilities) {
  double least = std::numeric_limits<float>::min();
  if (probabilities.scalar_type() == torch::kFloat64) least = std::numeric_limits<double>::min();
  if (probabilities.scalar_type() == torch::kFloat16) least = 6.103515625e-5;
  return probabilities.clamp_min(least).log();
}

}  // namespace leeway::nn
