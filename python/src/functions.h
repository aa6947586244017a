// The list of the package's functions, one per task: arguments and call. Options, with names, defaults and
// meanings, come from the task's description, as for the command.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "leeway/describe/fields.h"
#include "python/src/request.h"

namespace leeway::python {

// What is no option: data, and the name of what is done with them.
struct Argument {
  std::string_view name;
  std::string_view
      kind;  // "outputs", "sets", "models", "shifted", "targets", "labels", "array", "images", "table", "text"...
  std::string_view meaning;  // a few words, no capital, no full stop
  bool required = false;
};

struct Function {
  std::string_view name;     // "agreement", "conds.split"
  std::string_view command;  // whose record it returns: "leeway pa"
  std::string_view schema;   // of the record
  std::string_view summary;  // a sentence
  std::vector<Argument> arguments;
  std::vector<std::string_view> first;  // options that may stand after the arguments without their names
  void (*options)(Fields&);
  nb::object (*call)(Request&);
};

// By what they read; module.cpp joins them.
[[nodiscard]] std::vector<Function> functions_of_outputs();
[[nodiscard]] std::vector<Function> functions_of_noise();
[[nodiscard]] std::vector<Function> functions_of_attack();
[[nodiscard]] std::vector<Function> functions_of_data();

// The options of a type as they are by default.
template <class Options>
void default_options(Fields& f) {
  Options options;
  fields(options, f);
}

}  // namespace leeway::python
