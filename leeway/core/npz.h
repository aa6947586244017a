// NumPy's .npz format: a zip archive of .npy members (others are ignored).
//
// Read: stored members are memory-mapped if native and aligned, else copied; deflated members are inflated.
// The checksum of every requested member is verified, which reads it once. Refused, by name: encryption,
// invalid zip64, overlapping members, a size above 1032 times the compressed bytes (deflate's limit), more
// than 4 GiB or 200 times the file's size when inflated, other compression methods, duplicate names, no .npy
// member. Written: stored, aligned to 64 bytes, in the order of the map, with a fixed date.
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
