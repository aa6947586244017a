#include "python/src/arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "leeway/io/npy.h"
#include "leeway/io/npy_header.h"
#include "python/src/guard.h"

namespace leeway::python {
namespace {

// Python's memory, given back under the GIL by whichever thread lets go of it last.
std::shared_ptr<const void> shared_memory(nb::handle array, std::size_t& bytes) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(array.ptr(), view.get(), PyBUF_ANY_CONTIGUOUS) != 0) throw nb::python_error();
  bytes = static_cast<std::size_t>(view->len);
  Py_buffer* const kept = view.release();
  return {kept->buf, [kept](const void*) {
            if (Py_IsInitialized() == 0 || python_ends()) return;
            const nb::gil_scoped_acquire gil;
            PyBuffer_Release(kept);
            delete kept;
          }};
}

nb::dlpack::dtype dtype_of(ElementType type) {
  using Code = nb::dlpack::dtype_code;
  const char kind = name_of(type).front();
  const Code code = kind == 'b'   ? Code::Bool
                    : kind == 'i' ? Code::Int
                    : kind == 'u' ? Code::UInt
                                  : Code::Float;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(type)), 1};
}

}  // namespace

Array array_of(nb::handle array, const std::string& name) {
  const auto descr = nb::cast<std::string>(array.attr("dtype").attr("str"));
  const auto shape = nb::cast<std::vector<std::size_t>>(array.attr("shape"));
  if (std::string_view("biufUS").find(descr.at(1)) == std::string_view::npos)
    (void)describe_elements(descr, shape, 0, name);  // refuses the type; there may be no buffer of it
  std::size_t bytes = 0;
  std::shared_ptr<const void> memory = shared_memory(array, bytes);
  const std::span<const std::byte> elements{static_cast<const std::byte*>(memory.get()), bytes};
  return array_of_elements(descr, shape, elements, std::move(memory), name);
}

ArrayMap array_map_of(nb::handle arrays, const std::string& name) {
  ArrayMap map;
  for (const auto& [key, array] : nb::cast<nb::dict>(arrays)) {
    const auto text = nb::cast<std::string>(key);
    map.emplace(text, array_of(array, text.empty() ? name : name + ": " + text));
  }
  return map;
}

nb::object numpy_of(const Array& array) {
  if (array.type == ElementType::text)
    return nb::module_::import_("numpy")
        .attr("array")(nb::cast(*array.texts))
        .attr("reshape")(nb::cast(array.shape));
  auto kept = std::make_unique<Array>(array);
  void* const data = const_cast<void*>(array.storage.get());
  const nb::capsule owner(kept.release(),
                          [](void* pointer) noexcept { delete static_cast<Array*>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy>(data, array.shape.size(), array.shape.data(), owner, nullptr,
                                         dtype_of(array.type)));
}

}  // namespace leeway::python
