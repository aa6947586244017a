// The part of Python's pickle format (protocols 2 to 5) that tensor files need.
//
// Builds only data: None, booleans, numbers, text, lists, tuples, dictionaries (OrderedDict without
// attributes), and descriptions of storages and tensors. Imports and calls nothing:
// torch._utils._rebuild_tensor, _rebuild_tensor_v2 and _rebuild_parameter, torch.Size, torch.device and
// collections.OrderedDict are known by name. Objects of other classes are inert: name and parts. Errors name
// what they found: a module that acts on the machine (os, subprocess, builtins except collections, ...), a
// call of another torch function, an unknown instruction.
//
// Objects refer to each other by number, maybe in cycles: bound any walk. Cost: linear; at most 2^21 objects
// and references.
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
struct Inert {            // an object of a class that is not known
  std::string name;       // of the class, or of the function that would make it
  std::vector<Id> parts;  // what it would be made of, state and items included
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
                            Inert, Storage, Tensor>;

struct Pickle {
  std::vector<Object> objects;
  Id root = 0;
  std::size_t end = 0;  // bytes read: where the next pickle of a sequence begins
};

[[nodiscard]] std::string_view kind_of(const Object& object);

// The pickle that `bytes` begin with. `name` opens error messages.
[[nodiscard]] Pickle unpickle(std::span<const std::byte> bytes, std::string_view name);

}  // namespace leeway::nn::pickle
