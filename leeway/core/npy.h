// NumPy's .npy format, versions 1 to 3 (numpy.lib.format).
//
// Read: C and Fortran order, both byte orders, f2 (widened to float32), f4, f8, i1..i8, u1..u8, b1, and text
// (U, S; at most 10^8 strings). Native, aligned C-order files are memory-mapped, not copied. Refused before
// any allocation: objects, structures, complex numbers, dates, a data length that contradicts the header,
// overflowing dimensions, bytes after the end. Written: version 1, C order, native types, 64-byte aligned,
// text as U; equal arrays give equal bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "leeway/core/array.h"

namespace leeway {

[[nodiscard]] Array read_npy(const std::filesystem::path& path);

// From memory; the array shares `storage` where no conversion is needed. `name` opens error messages.
[[nodiscard]] Array parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> storage,
                              std::string_view name);

// Elements in memory described by descr ("<f4") and shape, C order, treated as in a file. Error for a wrong
// length.
[[nodiscard]] Array array_of_elements(std::string_view descr, const std::vector<std::size_t>& shape,
                                      std::span<const std::byte> bytes, std::shared_ptr<const void> storage,
                                      std::string_view name);

void write_npy(const std::filesystem::path& path, const Array& array);

// Header plus data, as write_npy would write it.
[[nodiscard]] std::string npy_bytes(const Array& array);

// The same in two pieces, so that large data need not be copied. `data` lives as long as this and `array` do.
struct NpyPieces {
  std::string header;
  std::vector<char32_t> text;  // the elements of a text array, padded to one width
  std::span<const std::byte> data;
};
[[nodiscard]] NpyPieces npy_pieces(const Array& array);

// The header of an array of numbers, alone.
[[nodiscard]] std::string npy_header(ElementType type, const std::vector<std::size_t>& shape);

}  // namespace leeway
