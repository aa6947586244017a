// Files: read by memory mapping, written under a temporary name and then renamed.
//
// A name that exists always holds a whole result: AtomicFile writes PATH.partial-<random>, new and never a link, flushes
// it to disk and renames it over PATH in commit(): of several writers the last wins, whole. A kill leaves the temporary
// file, which the next writer of PATH removes. Through a symbolic link the file it points to is replaced or made; a device or
// pipe (/dev/null) is written directly. Errors: Error for what is wrong with the input path (missing, a directory,
// unreadable), std::runtime_error for what is wrong with the machine (disk full, no permission to write).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace leeway {

// A read-only view of a whole regular file. Pages come from the page cache, of large files on first touch; an empty file
// is an empty span. The path "-" is standard input, read whole once and kept. Bytes of a file that another process cuts short raise SIGBUS when touched; see file_checks.h.
struct MappedFile {
  std::shared_ptr<const void> storage;  // keeps the mapping alive
  std::span<const std::byte> bytes;
};
[[nodiscard]] MappedFile map_file(const std::filesystem::path& path);

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);  // creates the temporary file, after remove_partials
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

// Removes what killed writers left: PATH.partial-<hexadecimal digits> that can be locked. A writer holds a lock (flock) as
// long as it lives; where the file system has no locks nothing is removed. Returns how many files were removed.
std::size_t remove_partials(const std::filesystem::path& path);

// XXH3 128-bit digest of a file as 32 hexadecimal digits (what `xxhsum -H2` prints).
[[nodiscard]] std::string digest_file(const std::filesystem::path& path);

}  // namespace leeway
