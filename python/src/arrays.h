// Converts NumPy arrays without copying, except other byte orders, float16 and text. The GIL is held.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "leeway/core/array.h"

namespace leeway::python {

namespace nb = nanobind;

// A NumPy array in C order. The memory is shared, and kept by whoever holds the result. Errors (Error): element types that an
// .npy file may not hold either, in the same words; `name` opens them.
[[nodiscard]] Array array_of(nb::handle array, const std::string& name);

// A dictionary of them: "clean: logits" is what messages call the logits of `name`, `name` a lone array under "".
[[nodiscard]] ArrayMap array_map_of(nb::handle arrays, const std::string& name);

// A NumPy array that shares the memory and keeps it; text as an array of str.
[[nodiscard]] nb::object numpy_of(const Array& array);

}  // namespace leeway::python
