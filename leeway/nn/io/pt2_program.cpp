#include "leeway/nn/io/pt2_program.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn::pt2 {
namespace {

using torch::jit::IValue;
using torch::jit::Stack;

// Checks of sizes and types that were made at the export.
bool is_check(std::string_view target) {
  return target.starts_with("torch.ops.aten._assert") ||
         target.starts_with("torch.ops.aten.sym_constrain_range");
}

// softmax(q k^T scale + mask) v, which LibTorch 1.13 lacks; for every LibTorch, so that results agree.
void attention(Stack& stack) {
  const std::vector<IValue> arguments = torch::jit::pop(stack, 8);
  if (arguments[4].toDouble() != 0) throw std::runtime_error("dropout is active, as in training");
  const torch::Tensor query = arguments[0].toTensor();
  torch::Tensor key = arguments[1].toTensor(), value = arguments[2].toTensor();
  if (arguments[7].toBool()) {  // groups of queries share keys and values
    const std::int64_t group = query.size(-3) / key.size(-3);
    key = key.repeat_interleave(group, -3), value = value.repeat_interleave(group, -3);
  }
  const double scale =
      arguments[6].isNone() ? 1 / std::sqrt(static_cast<double>(query.size(-1))) : arguments[6].toDouble();
  torch::Tensor scores = torch::matmul(query, key.transpose(-2, -1)).mul(scale);
  constexpr double never = -std::numeric_limits<double>::infinity();
  if (arguments[5].toBool()) {
    const torch::Tensor all =
        torch::ones({query.size(-2), key.size(-2)}, scores.options().dtype(torch::kBool));
    scores = scores.masked_fill(all.triu(1), never);  // later keys
  }
  if (arguments[3].isTensor()) {
    const torch::Tensor mask = arguments[3].toTensor();
    scores =
        mask.scalar_type() == torch::kBool ? scores.masked_fill(mask.logical_not(), never) : scores.add(mask);
  }
  torch::jit::push(stack, torch::matmul(torch::softmax(scores, -1), value));
}

// Replacements for operators that LibTorch's dispatcher lacks, at least before 2.0. Those without a function are operators
// of TorchScript, which has the arithmetic of sizes.
struct OwnOperator {
  std::string_view target;
  const char* schema;
  void (*call)(Stack& stack) = nullptr;
};
constexpr OwnOperator own_operators[] = {
    {"_operator.add", "aten::add.int(int a, int b) -> int"},
    {"_operator.sub", "aten::sub.int(int a, int b) -> int"},
    {"_operator.mul", "aten::mul.int(int a, int b) -> int"},
    {"_operator.floordiv", "aten::floordiv.int(int a, int b) -> int"},
    {"_operator.mod", "aten::remainder.int(int a, int b) -> int"},
    {"_operator.eq", "aten::eq.int(int a, int b) -> bool"},
    {"_operator.ne", "aten::ne.int(int a, int b) -> bool"},
    {"_operator.lt", "aten::lt.int(int a, int b) -> bool"},
    {"_operator.le", "aten::le.int(int a, int b) -> bool"},
    {"_operator.gt", "aten::gt.int(int a, int b) -> bool"},
    {"_operator.ge", "aten::ge.int(int a, int b) -> bool"},
    {"torch.sym_max", "prim::max.int(int a, int b) -> int"},
    {"torch.sym_min", "prim::min.int(int a, int b) -> int"},
    {"torch.ops.aten.sym_size.int", "aten::size.int(Tensor self, int dim) -> int"},
    {"torch.ops.aten.scaled_dot_product_attention.default",
     "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
     "float dropout_p=0.0, bool is_causal=False, float? scale=None, bool enable_gqa=False) -> Tensor",
     attention}};

// A number where an operator takes a tensor: it does not decide the type of the result.
torch::Tensor tensor_of(const IValue& number) {
  torch::Tensor tensor = c10::scalar_to_tensor(number.toScalar());
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

// `value` as an argument of that type, where a conversion loses nothing.
IValue as_type(const IValue& value, const c10::Type& type, const std::string& where) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType:
      if (value.isScalar()) return tensor_of(value);
      if (value.isTensor()) return value;
      break;
    case c10::TypeKind::FloatType:
      if (value.isInt()) return static_cast<double>(value.toInt());
      if (value.isDouble()) return value;
      break;
    case c10::TypeKind::IntType:
      if (value.isDouble() && value.toDouble() == std::floor(value.toDouble()) &&
          std::abs(value.toDouble()) < 0x1p53)
        return static_cast<std::int64_t>(value.toDouble());
      if (value.isInt()) return value;
      break;
    case c10::TypeKind::NumberType:
      if (value.isScalar()) return value;
      break;
    default:
      if ((value.isBool() && type.kind() == c10::TypeKind::BoolType) ||
          (value.isString() && type.kind() == c10::TypeKind::StringType) ||
          (value.isDevice() && type.kind() == c10::TypeKind::DeviceObjType))
        return value;
      if (value.isInt() && type.kind() == c10::TypeKind::BoolType) return value.toInt() != 0;
      if (value.isInt())
        return value;  // types of numbers, layouts and memory formats, which differ among versions
  }
  throw std::runtime_error(
      fmt::format("{}: an argument of type {}, not {}", where, type.str(), value.tagKind()));
}

template <class T>
IValue list_of(const std::vector<IValue>& values, T (IValue::*get)() const) {
  c10::List<T> list;
  for (const IValue& value : values) list.push_back((value.*get)());
  return list;
}

// A typed list, as operators take it.
IValue typed_list(const std::vector<IValue>& values, const c10::Type& element) {
  switch (element.kind()) {
    case c10::TypeKind::TensorType: {
      c10::List<torch::Tensor> list;
      for (const IValue& value : values) list.push_back(value.toTensor());
      return list;
    }
    case c10::TypeKind::OptionalType: {
      c10::List<c10::optional<torch::Tensor>> list;
      for (const IValue& value : values) list.push_back(value.toOptional<torch::Tensor>());
      return list;
    }
    case c10::TypeKind::FloatType:
      return list_of<double>(values, &IValue::toDouble);
    case c10::TypeKind::BoolType:
      return list_of<bool>(values, &IValue::toBool);
    default:
      return list_of<std::int64_t>(values, &IValue::toInt);
  }
}

// Where a schema renamed an argument, position counts.
const Argument* argument_at(const Node& node, const c10::FunctionSchema& schema, std::size_t place) {
  const auto found = std::ranges::find(node.names, schema.arguments()[place].name());
  if (found != node.names.end()) return &node.arguments[static_cast<std::size_t>(found - node.names.begin())];
  if (place >= node.names.size()) return nullptr;
  const auto knows = [&](const c10::Argument& argument) { return argument.name() == node.names[place]; };
  return std::ranges::any_of(schema.arguments(), knows) ? nullptr : &node.arguments[place];
}

}  // namespace

Program::Program(const Graph& graph, const std::vector<std::string>& outputs, const std::string& file,
                 torch::Device device)
    : device_(device) {
  for (const Weight& weight : graph.weights)
    constants_[slot_of(weight.value)] = shared_tensor(weight.array).to(device);
  input_ = slot_of(graph.input);
  for (const Node& node : graph.nodes) add_node(node, file);
  if (writes_)  // the file's own bytes are read only
    for (const Weight& weight : graph.weights) {
      Value& constant = constants_[slot_of(weight.value)];
      weights_.push_back(constant.toTensor().clone());
      constant = weights_.back();
    }
  for (const std::string& output : outputs) outputs_.push_back(slot_of(output));
  forget_after_last_use();
}

std::size_t Program::slot_of(const std::string& value) {
  const auto [found, is_new] = slots_.emplace(value, constants_.size());
  if (is_new) constants_.emplace_back();
  return found->second;
}

void Program::add_node(const Node& node, const std::string& file) {
  if (is_check(node.target)) return;
  Step step;
  step.where = fmt::format("{}: operator {}", file, printable(node.target, 200));
  add_operator(node, step);
  step.returns_list = node.returns_list;
  for (const std::string& output : node.outputs) step.outputs.push_back(slot_of(output));
  steps_.push_back(std::move(step));
}

c10::FunctionSchema Program::find_operator(const std::string& target, Step& step) {
  const auto* const own = std::ranges::find(own_operators, target, &OwnOperator::target);
  if (own != std::end(own_operators)) {
    step.call = own->call;
    if (own->call == nullptr) step.call = torch::jit::getOperatorForLiteral(own->schema)->getOperation();
    return torch::jit::parseSchema(own->schema);
  }
  constexpr std::string_view prefix = "torch.ops.aten.";
  if (!target.starts_with(prefix))
    refuse(step.where, "an ATen operator or arithmetic on sizes", in_quotes(target));
  const std::size_t dot = std::min(target.find('.', prefix.size()), target.size());
  const std::string overload = target.substr(std::min(dot + 1, target.size()));
  const auto handle = c10::Dispatcher::singleton().findSchema(
      {"aten::" + target.substr(prefix.size(), dot - prefix.size()), overload == "default" ? "" : overload});
  if (!handle)
    refuse(step.where, "an operator that LibTorch " TORCH_VERSION " has",
           "none; export the model as ONNX, or use a newer LibTorch");
  step.call = [operation = *handle](Stack& stack) { operation.callBoxed(&stack); };
  return handle->schema();
}

void Program::add_operator(const Node& node, Step& step) {
  const c10::FunctionSchema schema = find_operator(node.target, step);
  std::size_t used = 0;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& wanted = schema.arguments()[i];
    writes_ = writes_ || (wanted.alias_info() != nullptr && wanted.alias_info()->isWrite());
    const Argument* const given = argument_at(node, schema, i);
    if (given == nullptr && !wanted.default_value())
      refuse(step.where, "an argument " + in_quotes(wanted.name()), "none");
    if (given == nullptr) {
      step.operands.push_back([value = *wanted.default_value()](const Values&) { return value; });
      continue;
    }
    ++used;
    if (given->kind == Kind::flag && given->integer != 0 &&
        (wanted.name() == "train" || wanted.name() == "training"))
      refuse(step.where, "a model exported in evaluation mode (call model.eval() before torch.export.export)",
             "training mode");
    step.operands.push_back(operand(*given, wanted.type(), step));
  }
  if (used != node.arguments.size())
    refuse(step.where, "arguments that LibTorch " TORCH_VERSION " knows", comma_list(node.names));
}

Program::Value Program::value_of(const Argument& argument) const {
  switch (argument.kind) {
    case Kind::device:
      return device_;
    case Kind::flag:
      return argument.integer != 0;
    case Kind::integer:
      return argument.integer;
    case Kind::number:
      return argument.number;
    case Kind::text:
      return argument.text;
    default:
      return {};
  }
}

Program::Operand Program::operand(const Argument& argument, const c10::TypePtr& type, Step& step) {
  if (const auto optional = type->cast<c10::OptionalType>()) {
    if (argument.kind == Kind::nothing) return [](const Values&) { return Value(); };
    return operand(argument, optional->getElementType(), step);
  }
  if (argument.kind == Kind::reference) {
    const std::size_t slot = slot_of(argument.text);
    step.last_used.push_back(slot);
    return [slot, type, where = step.where](const Values& values) {
      return as_type(values[slot], *type, where);
    };
  }
  if (argument.kind == Kind::list) return list(argument.list, type, step);
  Value value;
  try {
    value = as_type(value_of(argument), *type, step.where);
  } catch (const std::runtime_error&) {
    refuse(step.where, "an argument of type " + type->str(), value_of(argument).tagKind());
  }
  return [value](const Values&) { return value; };
}

Program::Operand Program::list(const std::vector<Argument>& list, const c10::TypePtr& type, Step& step) {
  const auto list_type = type->cast<c10::ListType>();
  if (!list_type) refuse(step.where, "an argument of type " + type->str(), "a list");
  const c10::TypePtr element = list_type->getElementType();
  std::vector<Operand> elements;
  for (const Argument& one : list) elements.push_back(operand(one, element, step));
  return [elements, element](const Values& values) {
    std::vector<Value> parts;
    for (const Operand& one : elements) parts.push_back(one(values));
    return typed_list(parts, *element);
  };
}

// Until here last_used lists what a step uses.
void Program::forget_after_last_use() {
  std::set<std::size_t> used(outputs_.begin(), outputs_.end());
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    std::vector<std::size_t> last;
    for (const std::size_t slot : step->last_used)
      if (constants_[slot].isNone() && used.insert(slot).second) last.push_back(slot);
    for (const std::size_t slot : step->outputs)
      if (used.insert(slot).second) last.push_back(slot);  // nobody asks for it
    step->last_used = std::move(last);
  }
}

std::vector<torch::Tensor> Program::run(const torch::Tensor& x) const {
  Values values = constants_;
  values[input_] = writes_ ? x.clone() : x;
  Stack stack;
  for (const Step& step : steps_) {
    stack.clear();
    try {
      for (const Operand& operand : step.operands) stack.push_back(operand(values));
      step.call(stack);
    } catch (const std::exception& failure) {
      throw std::runtime_error(fmt::format("{}: {}", step.where, first_line(failure)));
    }
    if (step.returns_list) {
      const std::vector<torch::Tensor> parts = torch::jit::pop(stack).toTensorVector();
      stack.assign(parts.begin(), parts.end());
    }
    if (stack.size() < step.outputs.size())
      throw std::runtime_error(
          fmt::format("{}: {} results, not {}", step.where, stack.size(), step.outputs.size()));
    for (std::size_t i = 0; i < step.outputs.size(); ++i) values[step.outputs[i]] = std::move(stack[i]);
    for (const std::size_t slot : step.last_used) values[slot] = Value();
  }
  for (const torch::Tensor& weight : weights_)
    if (weight._version() != 0) throw std::runtime_error("the model changes its weights while it runs");
  std::vector<torch::Tensor> results;
  for (const std::size_t slot : outputs_) results.push_back(values[slot].toTensor());
  return results;
}

}  // namespace leeway::nn::pt2
