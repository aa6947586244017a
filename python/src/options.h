// Python's values as options, and descriptions (describe/fields.h) as Python sees them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "leeway/core/result.h"
#include "leeway/describe/fields.h"

namespace leeway::python {

namespace nb = nanobind;

// Sets the options that `given` names; None keeps the default. A list may be one value or the command line's
// text ("0:1:0.1", "ac,cot"). Errors (Error, prefixed by `name`): another type, a number out of range, an
// unknown word.
void read_options(const Description& describe, nb::handle given, const std::string& name);

// A list of (name, type, meaning, default, choices, fields) in the order of the description. Types are those of Python's
// annotations, "struct", "struct | None" or "list[struct]", whose `fields` are those of an element.
[[nodiscard]] nb::list fields_of(const Description& describe);

// A message that names options as the command line does, "--paired yes", as Python does: "paired yes".
[[nodiscard]] std::string python_names(const std::string& message);

// JSON as Python's json module would read it.
[[nodiscard]] nb::object object_of(const Json& json);

}  // namespace leeway::python
