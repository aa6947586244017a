// ONNX's operators on LibTorch's, so that gradients exist.
//
// A family: this header is its interface, operator.cpp the visible table; members stand in one file a kind. A node is
// prepared once, where it is loaded: its attributes are read and checked, tensors that never change are taken in.
// What comes out runs as often as needed, from any thread.
//
// Semantics: https://github.com/onnx/onnx/blob/main/docs/Changelog.md, opset 6 to 21; where opsets differ, the
// member says so. (ONNX 1.12, whose tests of operators the tests run, ends at opset 17.) Attributes that a member did
// not ask for are refused: they would change the answer. Types: float16 and bfloat16 are computed in float32 and
// rounded where the graph casts to them; unsigned integers of more than a byte are held in signed ones of twice the
// size (uint64: in int64).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <map>
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

// Files may fix the number of rows, and leeway passes as many as it likes.
struct Batch {
  std::int64_t declared = 0;  // 0: left open
  std::int64_t rows = 0;      // of this run

  // Whether a shape that the file fixes to the declared number of rows is to become that of this run.
  [[nodiscard]] bool differs() const { return declared > 0 && declared != rows; }
};

// Inputs to outputs. Inputs are as many as the node names; absent ones are undefined.
using Kernel = std::function<Tensors(const Tensors& inputs, const Batch& batch)>;

// A tensor of the array's values; where types agree it shares the array's storage.
[[nodiscard]] torch::Tensor tensor_of(const Array& array, const std::string& where);

// A node while it is prepared.
class Call {
 public:
  Call(const Node& node, std::int64_t opset, Tensors constants, std::string where)
      : node_(node), opset_(opset), constants_(std::move(constants)), where_(std::move(where)) {}

  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] std::size_t inputs() const { return node_.inputs.size(); }
  [[nodiscard]] std::size_t outputs() const { return node_.outputs.size(); }
  [[nodiscard]] bool given(std::size_t input) const {
    return input < node_.inputs.size() && !node_.inputs[input].empty();
  }
  [[nodiscard]] bool wanted(std::size_t output) const {
    return output < node_.outputs.size() && !node_.outputs[output].empty();
  }
  [[nodiscard]] std::size_t place_of_input(const std::string& name) const;  // inputs() where it is none
  // The value of an input that never changes; undefined for others.
  [[nodiscard]] torch::Tensor constant(std::size_t input) const {
    return input < constants_.size() ? constants_[input] : torch::Tensor();
  }

  // Attributes. Error where one has another type than asked for.
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
  // An attribute that changes nothing here.
  void ignore(const std::string& name) { read_.insert(name); }

  // Error for attributes that nobody asked for.
  void check_all_read() const;
  // Throws Error: "FILE: node 'n' (Conv, opset 9): expected EXPECTED, found FOUND".
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

 private:
  template <class T>
  [[nodiscard]] const T* find(const std::string& name, std::string_view kind);

  const Node& node_;
  std::int64_t opset_;
  Tensors constants_;
  std::string where_;
  std::set<std::string> read_;
};

// Whole numbers that a node takes as an attribute (in older opsets) or as an input (in newer ones).
class IntegerInput {
 public:
  // The attribute where the node has it, else input `index`.
  IntegerInput(Call& call, const std::string& attribute, std::size_t index);

  [[nodiscard]] bool given() const { return fixed_ || from_input_; }
  [[nodiscard]] bool is_fixed() const { return fixed_.has_value(); }
  // Nothing where the node has neither.
  [[nodiscard]] std::optional<Integers> read(const Tensors& inputs) const;

 private:
  std::optional<Integers> fixed_;
  bool from_input_;
  std::size_t index_;
};

struct Operator {
  std::string_view name;
  Kernel (*prepare)(Call& call);
  std::size_t least_inputs, most_inputs, most_outputs;
};

inline constexpr std::size_t any_number = 1 << 20;
inline constexpr std::int64_t newest_opset = 21;

[[nodiscard]] std::span<const Operator> operators();

// Finds and prepares the operator of a node. Error that names operator, node and opset where there is none.
[[nodiscard]] Kernel prepare_node(const Node& node, std::int64_t opset, Tensors constants,
                                  const std::string& where);

// "FILE: node 'name' (Conv, opset 9)"; nodes without a name go by their first output.
[[nodiscard]] std::string place_of(const Node& node, std::int64_t opset, const std::string& file);

// Whole numbers of a tensor of any integer type, in order.
[[nodiscard]] Integers integers_of(const torch::Tensor& tensor);

// The type that numbers of an ONNX type are held in, by its code; Error for one that is not of numbers.
[[nodiscard]] torch::ScalarType type_of_code(const Call& call, std::int64_t code);

// -1 is the last of `rank` axes. Throws std::runtime_error where there is no such axis.
[[nodiscard]] std::int64_t axis_of(std::int64_t axis, std::int64_t rank);

// Error for results of more elements than a model for images has use for: a few bytes in a file can ask for any number.
void check_elements(const Integers& sizes);

}  // namespace leeway::nn::onnx
