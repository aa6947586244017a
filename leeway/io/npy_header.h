// The header of an .npy file: magic, version, and a Python dictionary literal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway {

struct NpyHeader {
  char kind = 'f';            // b, i, u, f as in NumPy; U (four bytes a character) and S (one) are text
  std::size_t item_size = 8;  // bytes of one element
  bool swapped = false;       // the byte order is not this machine's
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data_offset = 0;
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";

// Error for an unsupported element type, or if `bytes` do not match `shape`.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view name);

// The same of `present` bytes of elements in C order.
[[nodiscard]] NpyHeader describe_elements(std::string_view descr, const std::vector<std::size_t>& shape,
                                          std::size_t present, std::string_view name);

// A version 1 header for elements described by `descr` ("<f4"), padded to a multiple of 64 bytes.
[[nodiscard]] std::string make_npy_header(std::string_view descr, std::span<const std::size_t> shape);

}  // namespace leeway
