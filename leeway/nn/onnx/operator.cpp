#include "leeway/nn/onnx/operator.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn::onnx {
namespace {

// clang-format off
constexpr Operator one_function_table[] = {
    {"Abs", prepare_one<at::abs>}, {"Acos", prepare_one<at::acos>}, {"Acosh", prepare_one<at::acosh>},
    {"Asin", prepare_one<at::asin>}, {"Asinh", prepare_one<at::asinh>}, {"Atan", prepare_one<at::atan>},
    {"Atanh", prepare_one<at::atanh>}, {"Ceil", prepare_one<at::ceil>}, {"Cos", prepare_one<at::cos>},
    {"Cosh", prepare_one<at::cosh>}, {"Det", prepare_one<at::det>}, {"Erf", prepare_one<at::erf>},
    {"Exp", prepare_one<at::exp>}, {"Floor", prepare_one<at::floor>},
    {"HardSwish", prepare_one<at::hardswish>}, {"IsNaN", prepare_one<at::isnan>},
    {"Log", prepare_one<at::log>}, {"Mish", prepare_one<at::mish>}, {"Neg", prepare_one<at::neg>},
    {"Not", prepare_one<at::logical_not>}, {"Reciprocal", prepare_one<at::reciprocal>},
    {"Relu", prepare_one<at::relu>}, {"Round", prepare_one<at::round>}, {"Sigmoid", prepare_one<at::sigmoid>},
    {"Sign", prepare_one<at::sign>}, {"Sin", prepare_one<at::sin>}, {"Sinh", prepare_one<at::sinh>},
    {"Sqrt", prepare_one<at::sqrt>}, {"Tan", prepare_one<at::tan>}, {"Tanh", prepare_one<at::tanh>}
};
// clang-format on

constexpr std::int64_t most_elements = std::int64_t{1} << 30;

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

torch::Tensor tensor_of(const Array& array, const std::string& where) {
  const Integers sizes(array.shape.begin(), array.shape.end());
  switch (array.type) {
    case ElementType::text:
      refuse(where, "a tensor of numbers", "text");
    case ElementType::u16:
    case ElementType::u32:
    case ElementType::u64: {  // LibTorch 1.13 lacks these types
      const std::vector<std::int64_t> values = to_i64(array, where);
      const torch::Tensor wide = torch::tensor(values, torch::kInt64).reshape(sizes);
      return array.type == ElementType::u16 ? wide.to(torch::kInt32) : wide;
    }
    default:
      return shared_tensor(array);
  }
}

template <class T>
std::optional<T> Call::find(const std::string& name, std::string_view kind) {
  read_.insert(name);
  const auto found = node_.attributes.find(name);
  if (found == node_.attributes.end()) return {};
  const T* const value = std::get_if<T>(&found->second);
  if (value == nullptr) fail(fmt::format("{} as attribute {}", kind, printable(name)), "something else");
  return *value;
}

std::size_t Call::place_of_input(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(node_.inputs, name) - node_.inputs.begin());
}

std::shared_ptr<const Graph> Call::graph(const std::string& name) {
  const auto value = find<std::shared_ptr<const Graph>>(name, "a graph");
  if (!value) fail(fmt::format("the attribute {}", name), "none");
  return *value;
}

std::int64_t Call::integer(const std::string& name, std::int64_t otherwise) {
  return find<std::int64_t>(name, "an integer").value_or(otherwise);
}

double Call::real(const std::string& name, double otherwise) {
  const auto value = find<float>(name, "a number");
  return value ? *value : otherwise;
}

std::string Call::text(const std::string& name, const std::string& otherwise) {
  return find<std::string>(name, "text").value_or(otherwise);
}

std::optional<Integers> Call::integers(const std::string& name) { return find<Integers>(name, "integers"); }

std::optional<std::vector<float>> Call::reals(const std::string& name) {
  return find<std::vector<float>>(name, "numbers");
}

std::optional<std::vector<std::string>> Call::texts(const std::string& name) {
  return find<std::vector<std::string>>(name, "texts");
}

torch::Tensor Call::tensor(const std::string& name) {
  const auto value = find<Array>(name, "a tensor");
  return value ? tensor_of(*value, where_) : torch::Tensor();
}

std::size_t Call::choice(const std::string& name, std::span<const std::string_view> choices) {
  const std::string value = text(name, std::string(choices[0]));
  std::string known;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == value) return i;
    known += (i > 0 ? ", " : "") + std::string(choices[i]);
  }
  fail(fmt::format("{} to be one of {}", name, known), in_quotes(value));
}

void Call::check_all_read() const {
  for (const auto& [name, value] : node_.attributes)
    if (!read_.contains(name)) fail("attributes that leeway supports", in_quotes(name));
}

void Call::fail(const std::string& expected, const std::string& found) const {
  refuse(where_, expected, found);
}

IntegerInput::IntegerInput(Call& call, const std::string& attribute, std::size_t index)
    : fixed_(call.integers(attribute)), from_input_(!fixed_ && call.given(index)), index_(index) {
  if (const torch::Tensor constant = from_input_ ? call.constant(index) : torch::Tensor(); constant.defined())
    fixed_ = integers_of(constant);
}

std::optional<Integers> IntegerInput::read(const Tensors& inputs) const {
  if (fixed_) return fixed_;
  if (!from_input_) return std::nullopt;
  return integers_of(inputs[index_]);
}

Integers integers_of(const torch::Tensor& tensor) {
  TORCH_CHECK(!tensor.is_floating_point(), "fractions where integers are required");
  const torch::Tensor plain = tensor.to(torch::kCPU, torch::kInt64).contiguous();
  const auto* const data = plain.data_ptr<std::int64_t>();
  return {data, data + plain.numel()};
}

std::int64_t axis_of(std::int64_t axis, std::int64_t rank) {
  TORCH_CHECK(axis >= -rank && axis < std::max<std::int64_t>(rank, 1), "axis ", axis, " of ", rank);
  return axis < 0 ? axis + rank : axis;
}

void check_elements(const Integers& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    TORCH_CHECK(size >= 0, "a size of ", size);
    TORCH_CHECK(size == 0 || count <= most_elements / size, "more than 2^30 elements in one result");
    count *= std::max<std::int64_t>(size, 1);
  }
}

}  // namespace leeway::nn::onnx
