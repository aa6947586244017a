#include "leeway/core/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway {
namespace {

// In the order of ElementType.
constexpr struct {
  std::string_view name;
  std::size_t size;
} types[] = {{"bool", 1},   {"int8", 1},  {"uint8", 1},  {"int16", 2},   {"uint16", 2},  {"int32", 4},
             {"uint32", 4}, {"int64", 8}, {"uint64", 8}, {"float32", 4}, {"float64", 8}, {"text", 0}};

// f(span of the elements), which are of one of these types, else of the last.
template <class T, class... Others, class F>
auto visit_as(const Array& array, const F& f) {
  if constexpr (sizeof...(Others) > 0)
    if (array.type != element_type_of<T>()) return visit_as<Others...>(array, f);
  return f(std::span(static_cast<const T*>(array.storage.get()), array.size()));
}

// Booleans come as bytes. Text has been refused before.
template <class F>
auto visit(const Array& array, const F& f) {
  return visit_as<std::int8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                  std::uint64_t, float, double, std::uint8_t>(array, f);
}

template <class T>
std::vector<T> vector_of(std::size_t size, std::string_view name) {
  try {
    return std::vector<T>(size);
  } catch (const std::bad_alloc&) {
    refuse_memory(name, size * sizeof(T));
  }
}

void refuse_text(const Array& array, std::string_view name) {
  if (array.type == ElementType::text) refuse(name, "numbers", "text");
}

template <class T>
bool is_whole(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return value == std::floor(value) && std::abs(value) < T{9223372036854775808.0};
  else
    return std::in_range<std::int64_t>(value);
}

// NaN or infinity has an all-ones exponent; adding one carries into the sign bit. Branch-free, for
// vectorization.
template <class T, class Bits>
bool block_not_finite(const T* values) {
  constexpr int mantissa = std::numeric_limits<T>::digits - 1;
  constexpr Bits unit = Bits{1} << mantissa;
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr Bits exponent = sign - unit;
  Bits seen = 0;
  for (int i = 0; i < 256; ++i) seen |= (std::bit_cast<Bits>(values[i]) & exponent) + unit;
  return (seen & sign) != 0;
}

template <class T, class Bits>
std::size_t find_not_finite(std::span<const T> values, std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  while (i + 256 <= end && !block_not_finite<T, Bits>(values.data() + i)) i += 256;
  while (i < end && std::isfinite(values[i])) ++i;
  return i < end ? i : std::numeric_limits<std::size_t>::max();
}

template <class T, class Bits>
std::optional<std::size_t> find_not_finite(std::span<const T> values) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const auto map = [&](std::size_t begin, std::size_t end) {
    return find_not_finite<T, Bits>(values, begin, end);
  };
  const auto join = [](std::size_t left, std::size_t right) { return std::min(left, right); };
  if (values.empty()) return std::nullopt;
  const auto first = reduce_chunks<std::size_t>(values.size(), std::size_t{1} << 18, map, join);
  return first == none ? std::nullopt : std::optional(first);
}

}  // namespace

std::string_view name_of(ElementType type) { return types[static_cast<std::size_t>(type)].name; }

std::size_t size_of(ElementType type) { return types[static_cast<std::size_t>(type)].size; }

std::size_t Array::size() const {
  std::size_t product = 1;
  for (const std::size_t s : shape) product *= s;
  return product;
}

std::string Array::shape_text() const { return fmt::format("({})", fmt::join(shape, ", ")); }

std::span<const std::byte> Array::bytes() const {
  if (type == ElementType::text) return {};
  return {static_cast<const std::byte*>(storage.get()), size() * size_of(type)};
}

void Array::require(ElementType wanted) const {
  if (type != wanted)
    throw Error(
        fmt::format("Array::view: expected elements of type {}, found {}", name_of(wanted), name_of(type)));
}

std::optional<std::size_t> checked_bytes(std::span<const std::size_t> shape, std::size_t element_size) {
  constexpr std::size_t limit = std::numeric_limits<std::int64_t>::max();
  std::size_t product = std::max<std::size_t>(element_size, 1);
  bool empty = element_size == 0;
  for (const std::size_t s : shape) {
    if (s == 0) {
      empty = true;
      continue;
    }
    if (s > limit / product) return std::nullopt;
    product *= s;
  }
  return empty ? 0 : product;
}

std::shared_ptr<std::byte> allocate_bytes(std::size_t count, std::string_view name) {
  constexpr std::align_val_t alignment{64};
  auto* block =
      static_cast<std::byte*>(::operator new(std::max<std::size_t>(count, 1), alignment, std::nothrow));
  if (block == nullptr) refuse_memory(name, count);
  return {block, [](std::byte* p) { ::operator delete(p, alignment); }};
}

void refuse_memory(std::string_view name, std::size_t bytes) {
  throw std::runtime_error(fmt::format("{}: the system cannot provide {} bytes of memory", name, bytes));
}

std::vector<std::size_t> checked_shape(std::vector<std::size_t> shape, std::size_t count) {
  if (checked_bytes(shape, 1) != count)
    throw Error(fmt::format("make_array: expected as many values as the shape ({}) holds, found {}",
                            fmt::join(shape, ", "), count));
  return shape;
}

Array make_text_array(std::vector<std::size_t> shape, std::vector<std::string> values) {
  const auto texts = std::make_shared<const std::vector<std::string>>(std::move(values));
  return {ElementType::text, checked_shape(std::move(shape), texts->size()), nullptr, texts};
}

Array make_text_array(std::vector<std::string> values) {
  const std::size_t size = values.size();
  return make_text_array({size}, std::move(values));
}

std::vector<std::string> array_names(const ArrayMap& arrays) {
  std::vector<std::string> names;
  for (const auto& entry : arrays) names.push_back(entry.first);
  return names;
}

std::vector<double> to_f64(const Array& array, std::string_view name) {
  refuse_text(array, name);
  const bool boolean = array.type == ElementType::boolean;
  return visit(array, [&](auto values) {
    auto out = vector_of<double>(values.size(), name);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<double>(boolean ? values[i] != 0 : values[i]);
    return out;
  });
}

std::vector<std::int64_t> to_i64(const Array& array, std::string_view name) {
  refuse_text(array, name);
  const bool boolean = array.type == ElementType::boolean;
  return visit(array, [&](auto values) {
    auto out = vector_of<std::int64_t>(values.size(), name);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!is_whole(values[i]))
        refuse(name, "integers", fmt::format("{} at {}", values[i], position_text(array, i)));
      out[i] = boolean ? values[i] != 0 : static_cast<std::int64_t>(values[i]);
    }
    return out;
  });
}

Array as_float(const Array& array, std::string_view name) {
  return array.is_float() ? array : make_array(array.shape, to_f64(array, name));
}

std::optional<std::size_t> first_not_finite(const Array& array) {
  if (array.type == ElementType::f32) return find_not_finite<float, std::uint32_t>(array.view<float>());
  if (array.type == ElementType::f64) return find_not_finite<double, std::uint64_t>(array.view<double>());
  return std::nullopt;
}

std::string position_text(const Array& array, std::size_t index) {
  if (array.shape.size() <= 1) return fmt::format("row {}", index);
  if (array.shape.size() == 2)
    return fmt::format("row {}, column {}", index / array.shape[1], index % array.shape[1]);
  std::vector<std::size_t> place(array.shape.size());
  for (std::size_t d = place.size(); d-- > 0; index /= array.shape[d]) place[d] = index % array.shape[d];
  return fmt::format("({})", fmt::join(place, ", "));
}

}  // namespace leeway
