#include "leeway/nn/io/pickle_names.h"

#include <algorithm>
#include <iterator>

#include "leeway/nn/io/pickle.h"

namespace leeway::nn::pickle {
namespace {

struct KnownFunction {
  std::string_view name;
  Function function;
};
constexpr KnownFunction functions[] = {
    {"collections.OrderedDict", Function::ordered_dict},
    {"torch.Size", Function::size},
    {"torch.device", Function::device},
    {"torch._utils._rebuild_tensor", Function::tensor},
    {"torch._utils._rebuild_tensor_v2", Function::tensor_v2},
    {"torch._utils._rebuild_parameter", Function::parameter},
};

constexpr std::string_view acting[] = {
    "os",     "posix",  "nt",      "subprocess", "pty",  "sys",    "shutil",     "socket",   "runpy",
    "ctypes", "pickle", "_pickle", "importlib",  "code", "codeop", "webbrowser", "builtins", "__builtin__",
};
constexpr std::string_view builtin_data[] = {"set",   "frozenset", "complex", "bytearray", "bytes", "slice",
                                             "range", "object",    "getattr", "list",      "dict",  "tuple",
                                             "int",   "float",     "bool",    "str",       "type"};

}  // namespace

std::string_view kind_of(const Object& object) {
  constexpr std::string_view kinds[] = {
      "None",    "a boolean",    "a whole number", "a number",  "text",      "a long integer", "a list",
      "a tuple", "a dictionary", "a name",         "an object", "a storage", "a tensor"};
  static_assert(std::size(kinds) == std::variant_size_v<Object>);
  return kinds[object.index()];
}

std::optional<Function> known_function(std::string_view name) {
  const auto* const known = std::ranges::find(functions, name, &KnownFunction::name);
  return known == std::end(functions) ? std::nullopt : std::optional(known->function);
}

bool acts(std::string_view module, std::string_view member) {
  if (std::ranges::find(acting, module.substr(0, module.find('.'))) == std::end(acting)) return false;
  const bool builtin = module == "builtins" || module == "__builtin__";
  return !builtin || std::ranges::find(builtin_data, member) == std::end(builtin_data);
}

}  // namespace leeway::nn::pickle
