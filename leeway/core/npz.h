// NumPy's .npz format: a zip archive of .npy members.
//
// Read: stored members are memory-mapped in place when their data is aligned for the type and native, copied
// otherwise; deflated members are inflated with zlib. The checksum of every member that is wanted is verified: stored
// ones are read once for it, at the speed of memory (core/crc32.h). Refused, by name: encryption, zip64 that lies,
// members that overlap, a size that the compressed bytes cannot hold (deflate expands at most 1032 to 1),
// more than 4 GiB or 200 times the file's size when inflated, other compression methods, two members of one
// name, an archive without .npy members (others are ignored). Written: stored, members aligned to 64 bytes,
// in the order of the map, with a fixed date.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/core/zip.h"

namespace leeway {

[[nodiscard]] ArrayMap read_npz(const std::filesystem::path& path);

// Which arrays to read, by name; the others are not inflated. An empty function: all.
using WantedName = std::function<bool(std::string_view)>;

// From memory. `name` opens error messages.
[[nodiscard]] ArrayMap parse_npz(const MappedFile& file, std::string_view name,
                                 const WantedName& wanted = {});

void write_npz(const std::filesystem::path& path, const ArrayMap& arrays);

// Writes an archive array by array, and arrays that memory need not hold piece by piece. The file appears when
// it is whole, with commit().
class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& path) : file_(path), zip_(file_) {}

  void add(std::string_view name, const Array& array);
  // Elements of `type` (not text) of that shape follow in any number of pieces; std::logic_error where they
  // are more or, at end(), fewer than the shape says.
  void begin(std::string_view name, ElementType type, const std::vector<std::size_t>& shape);
  void append(std::span<const std::byte> bytes) { zip_.append(bytes); }
  void end() { zip_.end(); }
  void commit();

 private:
  AtomicFile file_;
  ZipWriter zip_;
};

}  // namespace leeway
