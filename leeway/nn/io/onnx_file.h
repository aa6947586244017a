// ONNX files (.onnx), read without LibTorch: a graph of named operators and arrays.
//
// Format: onnx.proto, IR version 3 to 8 and compatible ones, parsed by libonnx and checked here. float16 and
// bfloat16 become float32. Initializers listed as inputs (IR 3) are not inputs. External tensors must be at a
// relative path below the model's folder (symbolic links resolved); aligned ones are mapped views.
//
// Errors: no model; above 2 GiB (protocol buffers' limit); no opset; dimensions that are negative, overflow
// or do not match the bytes (checked before allocation); duplicate names; inputs made by no earlier node
// (dangling, cyclic); missing outputs; string, complex or sparse tensors. Of nested graphs only If's branches
// are read; the outer values they use become inputs of node and branch. Cost: one copy of the initializers.
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

struct Unread {};  // an unsupported attribute
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
  std::vector<Value> inputs, outputs;
  std::vector<Node> nodes;  // each after those whose outputs it takes
  ArrayMap initializers;
};

// External tensors are in the folder of `path` or of its target, for symbolic links (download caches).
[[nodiscard]] Graph read_onnx(const std::filesystem::path& path);

// `name` opens error messages. External tensors: paths from folders[0] to files below any folder; refused
// without folders.
[[nodiscard]] Graph parse_onnx(std::span<const std::byte> bytes, std::string_view name,
                               const std::vector<std::filesystem::path>& folders = {});

// A file with one tensor (.pb), as in ONNX's tests.
[[nodiscard]] Array parse_onnx_tensor(std::span<const std::byte> bytes, std::string_view name);

// Whether the bytes begin like a model: its version, then another field.
[[nodiscard]] bool looks_like_onnx(std::span<const std::byte> bytes);

}  // namespace leeway::nn::onnx
