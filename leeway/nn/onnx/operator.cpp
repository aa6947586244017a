#include "leeway/nn/onnx/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/onnx/members.h"

namespace leeway::nn::onnx {
namespace {

// One input, one output, nothing to choose.
template <torch::Tensor (*function)(const torch::Tensor&)>
Kernel elementwise(Call& call) {
  call.ignore("consumed_inputs");
  return [](const Tensors& in, const Batch&) -> Tensors { return {function(in[0])}; };
}

constexpr Operator one_function_table[] = {
    {"Abs", elementwise<at::abs>, 1, 1, 1},
    {"Acos", elementwise<at::acos>, 1, 1, 1},
    {"Acosh", elementwise<at::acosh>, 1, 1, 1},
    {"Asin", elementwise<at::asin>, 1, 1, 1},
    {"Asinh", elementwise<at::asinh>, 1, 1, 1},
    {"Atan", elementwise<at::atan>, 1, 1, 1},
    {"Atanh", elementwise<at::atanh>, 1, 1, 1},
    {"Ceil", elementwise<at::ceil>, 1, 1, 1},
    {"Cos", elementwise<at::cos>, 1, 1, 1},
    {"Cosh", elementwise<at::cosh>, 1, 1, 1},
    {"Det", elementwise<at::det>, 1, 1, 1},
    {"Erf", elementwise<at::erf>, 1, 1, 1},
    {"Exp", elementwise<at::exp>, 1, 1, 1},
    {"Floor", elementwise<at::floor>, 1, 1, 1},
    {"HardSwish", elementwise<at::hardswish>, 1, 1, 1},
    {"IsNaN", elementwise<at::isnan>, 1, 1, 1},
    {"Log", elementwise<at::log>, 1, 1, 1},
    {"Mish", elementwise<at::mish>, 1, 1, 1},
    {"Neg", elementwise<at::neg>, 1, 1, 1},
    {"Not", elementwise<at::logical_not>, 1, 1, 1},
    {"Reciprocal", elementwise<at::reciprocal>, 1, 1, 1},
    {"Relu", elementwise<at::relu>, 1, 1, 1},
    {"Round", elementwise<at::round>, 1, 1, 1},
    {"Sigmoid", elementwise<at::sigmoid>, 1, 1, 1},
    {"Sign", elementwise<at::sign>, 1, 1, 1},
    {"Sin", elementwise<at::sin>, 1, 1, 1},
    {"Sinh", elementwise<at::sinh>, 1, 1, 1},
    {"Sqrt", elementwise<at::sqrt>, 1, 1, 1},
    {"Tan", elementwise<at::tan>, 1, 1, 1},
    {"Tanh", elementwise<at::tanh>, 1, 1, 1},
};

}  // namespace

std::span<const Operator> operators() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> table(std::begin(one_function_table), std::end(one_function_table));
    for (const auto part :
         {branches_operators(), convolution_operators(), elementwise_operators(), normalization_operators(),
          places_operators(), quantized_operators(), recurrent_operators(), reductions_operators(),
          resize_operators(), shapes_operators(), values_operators()})
      table.insert(table.end(), part.begin(), part.end());
    return table;
  }();
  return all;
}

std::string place_of(const Node& node, std::int64_t opset, const std::string& file) {
  const std::string name = !node.name.empty() || node.outputs.empty() ? node.name : node.outputs[0];
  const std::string domain = node.domain.empty() ? "" : printable(node.domain) + ".";
  return fmt::format("{}: node {} ({}{}, opset {})", file, in_quotes(name), domain, printable(node.op),
                     opset);
}

Kernel prepare_node(const Node& node, std::int64_t opset, Tensors constants, const std::string& where) {
  const std::span<const Operator> all = operators();
  const auto found = std::ranges::find(all, node.op, &Operator::name);
  if (!node.domain.empty() || found == all.end())
    refuse(where, "an operator that leeway supports", in_quotes(node.op));
  const auto check = [&](std::size_t count, std::size_t least, std::size_t most, const char* what) {
    if (count >= least && count <= most) return;
    const std::string expected = least == most        ? std::to_string(least)
                                 : most == any_number ? fmt::format("at least {}", least)
                                                      : fmt::format("{} to {}", least, most);
    refuse(where, fmt::format("{} {}", expected, what), std::to_string(count));
  };
  check(node.inputs.size(), found->least_inputs, found->most_inputs, "inputs");
  check(node.outputs.size(), 1, found->most_outputs, "outputs");
  for (std::size_t i = 0; i < found->least_inputs; ++i)
    if (node.inputs[i].empty()) refuse(where, fmt::format("its input {}", i), "none");
  Call call(node, opset, std::move(constants), where);
  Kernel kernel;
  try {
    kernel = found->prepare(call);
  } catch (const c10::Error& failure) {
    call.fail("valid attributes and constants", "\"" + printable(first_line(failure), 200) + "\"");
  }
  call.check_all_read();
  return kernel;
}

}  // namespace leeway::nn::onnx
