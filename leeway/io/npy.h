// NumPy's .npy format, versions 1 to 3 (numpy.lib.format).
//
// Read: C and Fortran order, both byte orders, f2 (widened to float32), f4, f8, i1..i8, u1..u8, b1, and text
// (U, S; at most 10^8 strings). Native, aligned C-order files are memory-mapped, not copied. Refused before
// any allocation: objects, structures, complex numbers, dates, a data length that contradicts the header,
// overflowing dimensions, bytes after the end. Written: version 1, C order, native types, 64-byte aligned,
// text as U; equal arrays give equal bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/io/zip.h"

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

// NumPy's .npz format: a zip archive of .npy members (others are ignored).
//
// Read: stored members are memory-mapped if native and aligned, else copied; deflated members are inflated.
// The checksum of every requested member is verified, which reads it once. Refused, by name: encryption,
// invalid zip64, overlapping members, a size above 1032 times the compressed bytes (deflate's limit), more
// than 4 GiB or 200 times the file's size when inflated, other compression methods, duplicate names, no .npy
// member. Written: stored, aligned to 64 bytes, in the order of the map, with a fixed date.

[[nodiscard]] ArrayMap read_npz(const std::filesystem::path& path);

// Which arrays to read, by name; the others are not inflated. An empty function: all.
using WantedName = std::function<bool(std::string_view)>;

// From memory. `name` opens error messages.
[[nodiscard]] ArrayMap parse_npz(const MappedFile& file, std::string_view name,
                                 const WantedName& wanted = {});

void write_npz(const std::filesystem::path& path, const ArrayMap& arrays);

// Writes an archive array by array, or in pieces. The file appears with commit().
class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& path) : file_(path), zip_(file_) {}

  void add(std::string_view name, const Array& array);
  // Elements of `type` (not text) follow in pieces; std::logic_error if their number differs from the shape.
  void begin(std::string_view name, ElementType type, const std::vector<std::size_t>& shape);
  void append(std::span<const std::byte> bytes) { zip_.append(bytes); }
  void end() { zip_.end(); }
  void commit();

 private:
  AtomicFile file_;
  ZipWriter zip_;
};

}  // namespace leeway
