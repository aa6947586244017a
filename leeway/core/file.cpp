#include "leeway/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

namespace fs = std::filesystem;

// Below this size the page table is filled at once: one call in place of a page fault for every 64 KB.
constexpr std::size_t populate_limit = std::size_t{8} << 20;
constexpr std::size_t buffer_size = std::size_t{1} << 16;

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

std::string system_text(int code) { return std::system_category().message(code); }

[[noreturn]] void fail(const fs::path& path, std::string_view what, int code) {
  throw std::runtime_error(fmt::format("{}: {}: {}", display_name(path), what, system_text(code)));
}

struct Opened {
  int descriptor = -1;
  std::size_t size = 0;
};

// O_NONBLOCK: a pipe without a writer is refused, not waited for.
Opened open_regular(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const std::string found = errno == ENOENT ? "no such file" : system_text(errno);
    refuse(display_name(path), "a readable file", found);
  }
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (known && S_ISREG(status.st_mode)) return {descriptor, static_cast<std::size_t>(status.st_size)};
  ::close(descriptor);
  refuse(display_name(path), "a regular file",
         known && S_ISDIR(status.st_mode) ? "a directory" : "a pipe or device");
}

void write_all(int descriptor, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

MappedFile map_file(const fs::path& path) {
  const Opened opened = open_regular(path);
  const Descriptor descriptor(opened.descriptor);
  const std::size_t size = opened.size;
  if (size == 0) return {};
  const int flags = MAP_PRIVATE | (size <= populate_limit ? MAP_POPULATE : 0);
  void* address = ::mmap(nullptr, size, PROT_READ, flags, descriptor.get(), 0);
  if (address == MAP_FAILED) fail(path, "cannot map into memory", errno);
  MappedFile file;
  file.storage =
      std::shared_ptr<const void>(address, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  file.bytes = {static_cast<const std::byte*>(address), size};
  return file;
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) fail(path_, "cannot write", EISDIR);
  if (fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored)) {
    // A pipe or device, such as /dev/null: renaming would replace the device itself.
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // Through a symbolic link the file it points to is replaced, not the link.
    if (fs::is_symlink(path_, ignored)) path_ = fs::weakly_canonical(path_);
    temporary_ = path_;
    temporary_ += fmt::format(".partial-{}", ::getpid());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    // The lock tells remove_partials that someone is still writing.
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX | LOCK_NB);
  }
  if (descriptor_ < 0) fail(path_, "cannot write", errno);
  buffer_.reserve(buffer_size);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  ::close(descriptor_);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) throw std::logic_error("AtomicFile: write after commit");
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() > buffer_size) {
    write_all(descriptor_, bytes, path_);
  } else {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFile::flush() {
  write_all(descriptor_, std::as_bytes(std::span(buffer_.data(), buffer_.size())), path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw std::logic_error("AtomicFile: second commit");
  flush();
  if (!temporary_.empty()) {
    if (::fsync(descriptor_) != 0) fail(path_, "cannot flush to disk", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0)
      fail(path_, "cannot rename the finished file", errno);
    const Descriptor directory(::open(directory_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() >= 0)
      ::fsync(directory.get());  // some file systems refuse this; the file is whole anyway
  }
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) fail(path_, "cannot close", errno);
}

void write_text(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::size_t remove_partials(const fs::path& path) {
  const std::string prefix = path.filename().string() + ".partial-";
  std::size_t removed = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_of(path), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    if (name.find_first_not_of("0123456789", prefix.size()) != std::string::npos) continue;
    const Descriptor descriptor(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (descriptor.get() < 0 || ::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (::unlink(entry.path().c_str()) == 0) ++removed;
  }
  return removed;
}

std::string digest_file(const fs::path& path) {
  const Descriptor descriptor(open_regular(path).descriptor);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (;;) {
    const ssize_t count = ::read(descriptor.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "cannot read", errno);
    if (count == 0) break;
    XXH3_128bits_update(state.get(), block.data(), static_cast<std::size_t>(count));
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace leeway
