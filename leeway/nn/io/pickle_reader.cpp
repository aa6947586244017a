#include "leeway/nn/io/pickle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "leeway/core/message.h"
#include "leeway/nn/io/pickle.h"

namespace leeway::nn::pickle {
namespace {

constexpr std::string_view acting[] = {
    "os",     "posix",  "nt",      "subprocess", "pty",  "sys",    "shutil",     "socket",   "runpy",
    "ctypes", "pickle", "_pickle", "importlib",  "code", "codeop", "webbrowser", "builtins", "__builtin__"};
constexpr std::string_view builtin_data[] = {"set",   "frozenset", "complex", "bytearray", "bytes", "slice",
                                             "range", "object",    "getattr", "list",      "dict",  "tuple",
                                             "int",   "float",     "bool",    "str",       "type"};

}  // namespace

std::string Reader::text(std::uint64_t size) {
  if (size > bytes_.size() - at_)
    refuse(name_, fmt::format("{} bytes of a pickle at byte {}", size, at_), bytes_.size() - at_);
  std::string part(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
  at_ += size;
  return part;
}

std::string Reader::line() {
  std::string found;
  for (char c = number<char>(); c != '\n'; c = number<char>()) {
    if (found.size() == longest_name)
      refuse(name_, fmt::format("names of at most {} bytes in the pickle", longest_name), in_quotes(found));
    found += c;
  }
  return found;
}

std::string_view kind_of(const Object& object) {
  constexpr std::string_view kinds[] = {"None",           "a boolean", "an integer", "a number",     "text",
                                        "a long integer", "a list",    "a tuple",    "a dictionary", "a name",
                                        "an object",      "a storage", "a tensor"};
  static_assert(std::size(kinds) == std::variant_size_v<Object>);
  return kinds[object.index()];
}

bool acts(std::string_view module, std::string_view member) {
  if (std::ranges::find(acting, module.substr(0, module.find('.'))) == std::end(acting)) return false;
  const bool builtin = module == "builtins" || module == "__builtin__";
  return !builtin || std::ranges::find(builtin_data, member) == std::end(builtin_data);
}

}  // namespace leeway::nn::pickle
