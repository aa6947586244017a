// Files: read by memory mapping, written under a temporary name and then renamed.
//
// AtomicFile writes PATH.partial-<random> (new, never a link); commit() flushes it to disk and renames it to
// PATH, so an existing name always holds a complete result and the last of several writers wins. A killed
// process leaves the temporary file, which the next writer of PATH removes. A symbolic link's target is
// replaced or created; a device or pipe is written directly. Errors: Error for the input path (missing, a
// directory, unreadable), std::runtime_error for the machine (disk full, no permission to write).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leeway {

// Whether the path exists, whether it is a folder; false if the system cannot say, as for a name that is too long.
[[nodiscard]] bool is_there(const std::filesystem::path& path) noexcept;
[[nodiscard]] bool is_folder(const std::filesystem::path& path) noexcept;

// A read-only view of a regular file. "-" is standard input, read once and kept. For truncation by another
// process, see mapped_name.
struct MappedFile {
  std::shared_ptr<const void> storage;  // keeps the mapping alive
  std::span<const std::byte> bytes;

  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};
[[nodiscard]] MappedFile map_file(const std::filesystem::path& path);

// The contents of a regular file, nothing if it does not exist. Faster than map_file for small files.
[[nodiscard]] std::optional<std::string> read_small_file(const std::filesystem::path& path);

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

// commit() calls `check` before it renames the temporary file, such as for inputs that nobody may change meanwhile; what
// `check` throws leaves no output. One check a process, empty: none. Set it before threads write files.
void set_commit_check(std::function<void()> check);

// Writes a whole text file atomically.
void write_text(const std::filesystem::path& path, std::string_view text);

// Removes what killed writers left: PATH.partial-<hexadecimal digits> that can be locked. A writer holds a lock (flock) as
// long as it lives; where the file system has no locks nothing is removed. Returns how many files were removed.
std::size_t remove_partials(const std::filesystem::path& path);

// XXH3 128-bit digest of a file as 32 hexadecimal digits (what `xxhsum -H2` prints).
[[nodiscard]] std::string digest_file(const std::filesystem::path& path);
// The same of a text, and of parts one behind the other.
[[nodiscard]] std::string digest_text(std::string_view text);
[[nodiscard]] std::string digest_bytes(std::initializer_list<std::span<const std::byte>> parts);

// Throws the errors of AtomicFile(path) without creating a file; does not open devices and pipes.
void require_writable(const std::filesystem::path& path);

// The file that AtomicFile(path) replaces, with links resolved. std::filesystem::filesystem_error for link
// cycles.
[[nodiscard]] std::filesystem::path written_path(const std::filesystem::path& path);

// For a SIGBUS handler, which the library does not install: touching a mapped file that another process has
// truncated raises SIGBUS. Returns the file, as messages show it, whose mapping holds this address; null if
// none does, or beyond the first 4096 open mappings. Async-signal-safe.
[[nodiscard]] const char* mapped_name(const void* address) noexcept;

}  // namespace leeway
