// Archives of torch.export (.pt2), read without LibTorch: a list of operators, and arrays. Nothing in them is code.
//
// Format: a zip archive of models/model.json (the program, schema 8, PyTorch 2.9 and later) and of one block
// of bytes per tensor, with its type, sizes and strides in data/weights and data/constants. float16 and
// bfloat16 become float32.
//
// Errors, before large allocations: another layout or schema; several inputs; outputs other than tensors; values
// that no earlier operator makes, or two make; control flow; buffers that change; pickled or complex tensors; tensors
// outside their bytes; copies above 64 MiB + 16 times the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"

namespace leeway::nn::pt2 {

// Types of tensors, layouts and memory formats are integers, LibTorch's numbers.
enum class Kind { nothing, device, flag, integer, number, text, reference, list };

struct Argument {
  Kind kind = Kind::nothing;  // device: that of the model, whatever the file says
  std::int64_t integer = 0;   // or a flag
  double number = 0;
  std::string text = {};  // or the name of the value referred to: a tensor, or a size
  std::vector<Argument> list = {};
};

struct Node {
  std::string target;              // "torch.ops.aten.conv2d.default", "_operator.mul"
  std::vector<std::string> names;  // of the arguments, as in the operator's schema
  std::vector<Argument> arguments;
  std::vector<std::string> outputs;  // names of values; "": not used
  bool returns_list = false;         // the outputs are the elements of one list
};

struct Weight {
  std::string value;      // its name in the graph
  std::string parameter;  // its name in the module, "layer1.0.conv1.weight"
  bool is_parameter = false;
  Array array;
};

struct Graph {
  std::string writer;                // version of PyTorch, "2.9.0"
  std::string input, input_type;     // "float32", ...; "float16" as the file has it
  std::vector<std::int64_t> shape;   // of the input; -1: left open
  std::vector<Weight> weights;       // in the order of the file
  std::vector<Node> nodes;           // each after those whose outputs it takes
  std::vector<std::string> outputs;  // names of values
  std::vector<std::string>
      output_names;  // of the entries, where the module returns a dictionary; otherwise empty
};

[[nodiscard]] Graph read_pt2(const std::filesystem::path& path);

// From memory. `name` opens error messages.
[[nodiscard]] Graph parse_pt2(const MappedFile& file, std::string_view name);

}  // namespace leeway::nn::pt2
