// Python's pickle format, as far as files of tensors need it (protocols 2 to 5).
//
// A pickle is a program for a stack machine. This one builds data and nothing else: None, booleans, numbers,
// text, lists, tuples, dictionaries (OrderedDict is one; attributes set on it are dropped), and descriptions
// of storages and tensors. It imports nothing and calls nothing: torch._utils._rebuild_tensor,
// _rebuild_tensor_v2 and _rebuild_parameter, torch.Size, torch.device and collections.OrderedDict are known
// by name; a call of anything else is an Error that names it, and so is an instruction that is not known.
//
// Objects refer to each other by number, so that shared and cyclic ones are no special case; who walks them
// must bound the walk. Cost: linear in the bytes, at most 2^21 objects and references.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "leeway/nn/io/strided.h"

namespace leeway::nn::pickle {

using Id = std::uint32_t;  // place in Pickle::objects

struct None {};
struct Long {  // an integer beyond 64 bits: little-endian two's complement
  std::string bytes;
};
struct List {
  std::vector<Id> items;
};
struct Tuple {
  std::vector<Id> items;
};
struct Dict {
  std::vector<std::pair<Id, Id>> items;  // as set: of equal keys the last one counts
};
struct Global {  // "module.name"
  std::string name;
};
struct Storage {
  const StorageType* type = nullptr;
  std::string key;
  std::int64_t count = 0;  // elements, as the pickle says
};
struct Tensor {
  Id storage = 0;
  StridedView view;
};
using Object = std::variant<None, bool, std::int64_t, double, std::string, Long, List, Tuple, Dict, Global,
                            Storage, Tensor>;

struct Pickle {
  std::vector<Object> objects;
  Id root = 0;
  std::size_t end = 0;  // bytes read: where the next pickle of a sequence begins
};

// "a list", "text", ... for messages.
[[nodiscard]] std::string_view kind_of(const Object& object);

// The pickle that `bytes` begin with. `name` opens error messages.
[[nodiscard]] Pickle unpickle(std::span<const std::byte> bytes, std::string_view name);

}  // namespace leeway::nn::pickle
