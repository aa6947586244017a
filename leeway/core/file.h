// Files: read by memory mapping, written under a temporary name and then renamed.
//
// A name that exists always holds a whole result: AtomicFile writes PATH.partial-<pid>, flushes it to disk
// and renames it over PATH in commit(); without commit() the temporary file is removed. A kill leaves at most
// the temporary file. Through a symbolic link the file it points to is replaced; a device or pipe (/dev/null)
// is written directly. Errors: Error for what is wrong with the input path (missing, a directory,
// unreadable), std::runtime_error for what is wrong with the machine (disk full, no permission to write).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace leeway {

// A read-only view of a whole regular file. Pages come from the page cache, of large files on first touch; an
// empty file is an empty span. The file must not be cut short while it is mapped.
struct MappedFile {
  std::shared_ptr<const void> storage;  // keeps the mapping alive
  std::span<const std::byte> bytes;
};
[[nodiscard]] MappedFile map_file(const std::filesystem::path& path);

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);  // creates the temporary file
  ~AtomicFile();                                    // removes it unless committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  void flush();

  std::filesystem::path path_, temporary_;  // temporary_ is empty where path_ is written directly
  std::string buffer_;
  int descriptor_ = -1;
};

// Writes a whole text file atomically.
void write_text(const std::filesystem::path& path, std::string_view text);

// Removes what interrupted runs left behind: PATH.partial-<pid> beside `path`, unless somebody is still
// writing it. Returns how many files were removed.
std::size_t remove_partials(const std::filesystem::path& path);

// XXH3 128-bit digest of a file as 32 hexadecimal digits (what `xxhsum -H2` prints).
[[nodiscard]] std::string digest_file(const std::filesystem::path& path);

}  // namespace leeway
