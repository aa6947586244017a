// ONNX files (.onnx), read without LibTorch: a plain graph of named operators and arrays.
//
// Format: onnx.proto (IR versions 3 to 8 and later ones as far as they say the same), opset of the default domain.
// The protocol buffers are parsed by libonnx's own classes; here every claim in them is checked. float16 and bfloat16
// become float32 (Array::from_half says so of the former). Initializers that files of IR 3 list among the inputs
// are no inputs here. Tensors kept in other files are read where their place is a relative path beneath the
// model's folder, symbolic links followed; they are views of the mapped file where they are aligned.
//
// Error, one line: what is no model; more than 2 GiB (protocol buffers end there); no opset; dimensions that are
// negative, overflow, or do not agree with the bytes there (checked before anything of that size is allocated);
// names that two values share; a node that takes what nothing before it makes (dangling, cyclic); outputs that
// nothing makes; tensors of text, complex numbers, or sparse ones. Graphs inside a node are read of If, whose branches take
// nothing but values from around them; those become inputs of the node, and of the branch. Others are kept by kind alone: who
// runs the graph refuses the operator that needs them. Cost: one copy of the initializers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"

namespace leeway::nn::onnx {

// What leeway has no use for: "a graph", "a sparse tensor", ...
struct Unread {
  std::string_view kind;
};
struct Graph;
using Attribute =
    std::variant<Unread, std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                 std::vector<std::string>, Array, std::shared_ptr<const Graph>>;

struct Node {
  std::string op, domain, name;              // the domain "ai.onnx" is ""
  std::vector<std::string> inputs, outputs;  // "": absent. Of If: the condition, then what its branches take
  std::map<std::string, Attribute> attributes;
};

inline constexpr std::int64_t any_size = -1;

struct Value {
  std::string name;
  std::string type;  // "float32", ..., as in Array; "" where the file does not say
  std::optional<std::vector<std::int64_t>> shape;  // any_size: left open; absent: not even the rank is known
};

struct Graph {
  std::int64_t opset = 0;
  std::string producer;
  std::vector<Value> inputs, outputs;
  std::vector<Node> nodes;  // each after those whose outputs it takes
  ArrayMap initializers;
};

// Folders of tensors: the one that `path` names and, where `path` is a symbolic link, the one of the file it leads to:
// caches of downloads keep a model and its tensors as links to files beside each other.
[[nodiscard]] Graph read_onnx(const std::filesystem::path& path);

// From memory. `name` opens error messages. Tensors kept in other files: their places are paths from the first of the
// `folders`, and lead to files that really lie beneath one of them; without folders they are refused.
[[nodiscard]] Graph parse_onnx(std::span<const std::byte> bytes, std::string_view name,
                               const std::vector<std::filesystem::path>& folders = {});

// A file that holds one tensor (.pb), as ONNX's own tests come with.
[[nodiscard]] Array parse_onnx_tensor(std::span<const std::byte> bytes, std::string_view name);

// Whether the bytes begin like a model: its version, then another of its fields.
[[nodiscard]] bool looks_like_onnx(std::span<const std::byte> bytes);

}  // namespace leeway::nn::onnx
