// ONNX operators on LibTorch's, with gradients. operator.cpp lists the members, grouped in files by kind.
//
// A node is prepared once, at loading: attributes are checked and constants folded in. The result is
// thread-safe.
//
// Semantics: https://github.com/onnx/onnx/blob/main/docs/Changelog.md, opset 6 to 21 (tested up to 17 with
// ONNX 1.12); members state where opsets differ. Unread attributes are errors, since they would change the
// result. float16 and bfloat16 are computed in float32 and rounded at casts; unsigned integers above a byte
// use signed ones of twice the size (uint64: int64).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/nn/io/onnx_file.h"

namespace leeway::nn::onnx {

using Tensors = std::vector<torch::Tensor>;  // an undefined tensor is an absent one
using Integers = std::vector<std::int64_t>;

// Files may fix the number of rows; leeway passes any number.
struct Batch {
  std::int64_t declared = 0;  // 0: left open
  std::int64_t rows = 0;      // of this run

  // Whether shapes with the declared number of rows need this run's number.
  [[nodiscard]] bool differs() const { return declared > 0 && declared != rows; }
};

// One tensor per input name; absent ones are undefined.
using Kernel = std::function<Tensors(const Tensors& inputs, const Batch& batch)>;

// Shares the array's storage if types agree.
[[nodiscard]] torch::Tensor tensor_of(const Array& array, const std::string& where);

// A node during preparation.
class Call {
 public:
  Call(const Node& node, std::int64_t opset, Tensors constants, std::string where)
      : node_(node), opset_(opset), constants_(std::move(constants)), where_(std::move(where)) {}

  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] std::size_t outputs() const { return node_.outputs.size(); }
  [[nodiscard]] bool given(std::size_t input) const {
    return input < node_.inputs.size() && !node_.inputs[input].empty();
  }
  [[nodiscard]] bool wanted(std::size_t output) const {
    return output < node_.outputs.size() && !node_.outputs[output].empty();
  }
  [[nodiscard]] std::size_t place_of_input(
      const std::string& name) const;  // that of none: how many there are
  [[nodiscard]] torch::Tensor constant(std::size_t input) const {
    return input < constants_.size() ? constants_[input] : torch::Tensor();
  }

  // Attributes. Error for another type.
  [[nodiscard]] bool has(const std::string& name) const { return node_.attributes.contains(name); }
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t otherwise);
  [[nodiscard]] double real(const std::string& name, double otherwise);
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise);
  [[nodiscard]] std::optional<Integers> integers(const std::string& name);
  [[nodiscard]] std::optional<std::vector<float>> reals(const std::string& name);
  [[nodiscard]] std::optional<std::vector<std::string>> texts(const std::string& name);
  [[nodiscard]] torch::Tensor tensor(const std::string& name);                // undefined where absent
  [[nodiscard]] std::shared_ptr<const Graph> graph(const std::string& name);  // Error where absent
  [[nodiscard]] bool flag(const std::string& name, bool otherwise) { return integer(name, otherwise) != 0; }
  // The index of `name` among `choices`, the first of which is the default.
  [[nodiscard]] std::size_t choice(const std::string& name, std::span<const std::string_view> choices);
  // Marks an attribute without effect as read.
  void ignore(const std::string& name) { read_.insert(name); }

  void check_all_read() const;
  // Throws Error: "FILE: node 'n' (Conv, opset 9): expected EXPECTED, found FOUND".
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

 private:
  template <class T>
  [[nodiscard]] std::optional<T> find(const std::string& name, std::string_view kind);

  const Node& node_;
  std::int64_t opset_;
  Tensors constants_;
  std::string where_;
  std::set<std::string> read_;
};

// Integers given as an attribute (older opsets) or an input (newer ones).
class IntegerInput {
 public:
  IntegerInput(Call& call, const std::string& attribute, std::size_t index);

  [[nodiscard]] bool given() const { return fixed_ || from_input_; }
  [[nodiscard]] bool is_fixed() const { return fixed_.has_value(); }
  // Nothing if the node has neither.
  [[nodiscard]] std::optional<Integers> read(const Tensors& inputs) const;

 private:
  std::optional<Integers> fixed_;
  bool from_input_;
  std::size_t index_;
};

struct Operator {
  std::string_view name;
  Kernel (*prepare)(Call& call);
  std::size_t least_inputs = 1, most_inputs = 1, most_outputs = 1;
};

inline constexpr std::size_t any_number = 1 << 20;
inline constexpr std::int64_t newest_opset = 21;

[[nodiscard]] std::span<const Operator> operators();

// Error for an unknown operator names operator, node and opset.
[[nodiscard]] Kernel prepare_node(const Node& node, std::int64_t opset, Tensors constants,
                                  const std::string& where);

// "FILE: node 'name' (Conv, opset 9)"; nodes without a name go by their first output.
[[nodiscard]] std::string place_of(const Node& node, std::int64_t opset, const std::string& file);

[[nodiscard]] Integers integers_of(const torch::Tensor& tensor);

// The type that holds an ONNX type, by code; Error for non-numeric types.
[[nodiscard]] torch::ScalarType type_of_code(const Call& call, std::int64_t code);

// -1 is the last of `rank` axes. std::runtime_error for an invalid axis.
[[nodiscard]] std::int64_t axis_of(std::int64_t axis, std::int64_t rank);

// Error for results too large for image models: a few bytes in a file can request any size.
void check_elements(const Integers& sizes);

// The operators by file.

[[nodiscard]] std::span<const Operator> branches_operators(), convolution_operators(),
    elementwise_operators(), normalization_operators(), places_operators(), quantized_operators(),
    recurrent_operators(), reductions_operators(), resize_operators(), shapes_operators(), values_operators();

// An operator without attributes: its outputs are a function of its inputs.
template <Tensors (*function)(const Tensors& inputs)>
Kernel prepare_plain(Call& /*call*/) {
  return [](const Tensors& in, const Batch&) { return function(in); };
}

// One input, one output, nothing to choose.
template <torch::Tensor (*function)(const torch::Tensor&)>
Kernel prepare_one(Call& call) {
  call.ignore("consumed_inputs");
  return [](const Tensors& in, const Batch&) -> Tensors { return {function(in[0])}; };
}

// Used by other operators.
[[nodiscard]] Kernel prepare_identity(Call& call);
[[nodiscard]] Kernel prepare_conv(Call& call);

// Converts negative indices to nonnegative ones, int64.
[[nodiscard]] torch::Tensor nonnegative(const torch::Tensor& indices, std::int64_t size);

// Pads in ONNX's order onto the last dimensions; negative ones crop.
[[nodiscard]] torch::Tensor padded(const torch::Tensor& x, const Integers& pads, const at::Scalar& value);

}  // namespace leeway::nn::onnx
