// Python's pickle format, as far as files of tensors need it (protocols 2 to 5).
//
// A pickle is a program for a stack machine. This one builds data and nothing else: None, booleans, numbers,
// text, lists, tuples, dictionaries (OrderedDict is one; attributes set on it are dropped), and descriptions
// of storages and tensors. It imports nothing and calls nothing: torch._utils._rebuild_tensor,
// _rebuild_tensor_v2 and _rebuild_parameter, torch.Size, torch.device and collections.OrderedDict are known
// by name. Objects of all other classes (argparse.Namespace, NumPy's numbers, a whole module) stay inert: their
// name and their parts, of which nothing is made. Errors: a name in a module that acts on the machine (os,
// subprocess, builtins but for its collections, ...); a call of any other function of torch, which might be a
// tensor of a kind that is not read; an instruction that is not known. Each names what it found.
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

// "a list", "text", ... for messages.
[[nodiscard]] std::string_view kind_of(const Object& object);

// The pickle that `bytes` begin with. `name` opens error messages.
[[nodiscard]] Pickle unpickle(std::span<const std::byte> bytes, std::string_view name);

}  // namespace leeway::nn::pickle
