// NumPy's .npy format, versions 1 to 3 (numpy.lib.format).
//
// Read: C and Fortran order, both byte orders, f2 (widened to float32), f4, f8, i1..i8, u1..u8, b1, and text
// (U, S; at most 10^8 strings). Native C-order files whose data is aligned for its type are memory-mapped,
// not copied. Objects, structures, complex numbers and dates are refused by name; so are a header that lies
// about the length of the data, a product of dimensions that overflows, and bytes after the end; all of them
// before anything is allocated. Written: version 1, C order, native types, 64-byte aligned; text as U. The
// same array gives the same bytes.
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

// Elements in memory as a header describes them: descr ("<f4"), shape, C order. What the bytes hold is converted, refused
// and shared as that of a file is. Error also where `bytes` are not as many as the shape promises.
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
