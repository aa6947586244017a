// A dense array: element type, shape and shared read-only storage.
//
// Always C order and native byte order; readers convert other files. Storage is a memory-mapped file or a
// heap block, and lives as long as any Array refers to it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace leeway {

enum class ElementType { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, text };

[[nodiscard]] std::string_view name_of(ElementType type);  // "float32", "int64", ..., "text"
[[nodiscard]] std::size_t size_of(ElementType type);       // bytes; 0 for text

// For C++ arithmetic types except bool.
template <class T>
requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
    [[nodiscard]] constexpr ElementType element_type_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  constexpr ElementType integers[][2] = {{ElementType::u8, ElementType::i8},
                                         {ElementType::u16, ElementType::i16},
                                         {ElementType::u32, ElementType::i32},
                                         {ElementType::u64, ElementType::i64}};
  return integers[std::bit_width(sizeof(T)) - 1][std::is_signed_v<T> ? 1 : 0];
}

struct Array {
  ElementType type = ElementType::f64;
  std::vector<std::size_t> shape = {0};
  std::shared_ptr<const void> storage;  // size() elements (a boolean is a byte, 0 = false); null for text
  std::shared_ptr<const std::vector<std::string>> texts;  // size() strings, UTF-8; only for text

  [[nodiscard]] std::size_t size() const;        // product of the shape; 1 for the empty shape of a scalar
  [[nodiscard]] std::string shape_text() const;  // "(10000, 10)", "(5)", "()"
  [[nodiscard]] bool is_float() const { return type == ElementType::f32 || type == ElementType::f64; }

  [[nodiscard]] bool is_vector() const { return shape.size() == 1 || (shape.size() == 2 && shape[1] == 1); }

  // Empty for text.
  [[nodiscard]] std::span<const std::byte> bytes() const;

  // The elements, where T is exactly the element type. Throws Error otherwise.
  template <class T>
  [[nodiscard]] std::span<const T> view() const {
    require(element_type_of<T>());
    return {static_cast<const T*>(storage.get()), size()};
  }

 private:
  void require(ElementType wanted) const;
};

using ArrayMap = std::map<std::string, Array>;

// `shape`, whose product is `count` (Error otherwise).
[[nodiscard]] std::vector<std::size_t> checked_shape(std::vector<std::size_t> shape, std::size_t count);

// Takes over `values`; their number must be the product of `shape` (Error otherwise).
template <class T>
[[nodiscard]] Array make_array(std::vector<std::size_t> shape, std::vector<T> values) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return {element_type_of<T>(), checked_shape(std::move(shape), owner->size()), {owner, owner->data()}, {}};
}
[[nodiscard]] Array make_text_array(std::vector<std::size_t> shape, std::vector<std::string> values);
[[nodiscard]] Array make_text_array(std::vector<std::string> values);  // a vector

[[nodiscard]] std::vector<std::string> array_names(const ArrayMap& arrays);

// float64 (all but text), or int64 (integers, booleans, whole floats; Error otherwise). `name` opens
// messages.
[[nodiscard]] std::vector<double> to_f64(const Array& array, std::string_view name);
[[nodiscard]] std::vector<std::int64_t> to_i64(const Array& array, std::string_view name);

// Unchanged if float32 or float64, else a float64 copy. Error for text.
[[nodiscard]] Array as_float(const Array& array, std::string_view name);

// Index of the first element that is NaN or infinite. One pass at the speed of memory, in parallel.
[[nodiscard]] std::optional<std::size_t> first_not_finite(const Array& array);

// "row 7" for element 7 of a vector, "row 7, column 2" of a matrix, "(7, 2, 0)" beyond.
[[nodiscard]] std::string position_text(const Array& array, std::size_t index);

// Throws std::runtime_error: "NAME: the system refuses BYTES bytes of memory".
[[noreturn]] void refuse_memory(std::string_view name, std::size_t bytes);

// Uninitialized storage aligned to 64 bytes; refuse_memory on failure.
[[nodiscard]] std::shared_ptr<std::byte> allocate_bytes(std::size_t count,
                                                        std::string_view name = "an array");

// Product of the dimensions times `element_size`; nothing if above 2^63 - 1. Zeros count as ones.
[[nodiscard]] std::optional<std::size_t> checked_bytes(std::span<const std::size_t> shape,
                                                       std::size_t element_size);

// Numbers of two bytes, widened to float32 without loss.

// IEEE 754 binary16.
[[nodiscard]] inline float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // subnormal
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | mantissa << 13);
}

// bfloat16: the upper half of a float32.
[[nodiscard]] inline float float_from_bfloat16(std::uint16_t upper) {
  return std::bit_cast<float>(std::uint32_t{upper} << 16);
}

}  // namespace leeway
