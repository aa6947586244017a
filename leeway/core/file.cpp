#include "leeway/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/removal.h"

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

// Open mappings, for mapped_name(): a signal handler reads them, so that they are a table of atomics. An entry is
// in use where `begin` is set; it is written last and cleared first.
struct Mapping {
  std::atomic<const std::byte*> begin{nullptr};
  std::atomic<std::size_t> size{0};
  std::atomic<char*> name{nullptr};
};
std::array<Mapping, 4096> mappings;
std::mutex mappings_mutex;  // of those that write

void note_mapping(std::span<const std::byte> bytes, const std::string& name) {
  const std::scoped_lock lock(mappings_mutex);
  for (Mapping& entry : mappings) {
    if (entry.begin.load() != nullptr) continue;
    entry.name = ::strdup(name.c_str());
    entry.size = bytes.size();
    entry.begin = bytes.data();
    return;
  }
}

void forget_mapping(const void* address) {
  const std::scoped_lock lock(mappings_mutex);
  for (Mapping& entry : mappings) {
    if (entry.begin.load() != address) continue;
    entry.begin = nullptr;
    ::free(entry.name.exchange(nullptr));
    return;
  }
}

// Names are cut where the file system would refuse them with what is added.
std::string partial_prefix(const fs::path& path) {
  constexpr std::size_t longest = 200;
  return path.filename().string().substr(0, longest) + ".partial-";
}

bool is_device(const fs::path& path) {
  std::error_code ignored;
  return is_there(path) && !fs::is_regular_file(path, ignored);
}

std::function<void()>& commit_check() {
  static std::function<void()> check;
  return check;
}

// A new file with a lock on it, and its name. Another process may take it for stale before it is locked, and remove
// it: then another name is tried.
std::pair<int, fs::path> create_partial(const fs::path& path) {
  std::random_device random;
  for (;;) {
    const auto number = std::uint64_t{random()} << 32 | random();
    fs::path partial = directory_of(path) / (partial_prefix(path) + fmt::format("{:016x}", number));
    const int descriptor =
        ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) fail(path, "cannot write", errno);
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && status.st_nlink > 0) return {descriptor, std::move(partial)};
    ::close(descriptor);
  }
}

// All of standard input, which can be read once, for all who ask.
MappedFile standard_input() {
  static const auto bytes = [] {
    auto all = std::make_shared<std::string>();
    std::array<char, buffer_size> part{};
    ssize_t count = 0;
    while ((count = ::read(STDIN_FILENO, part.data(), part.size())) != 0) {
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse("-", "readable standard input", system_text(errno));
      all->append(part.data(), static_cast<std::size_t>(count));
    }
    return all;
  }();
  return {bytes, std::as_bytes(std::span(bytes->data(), bytes->size()))};
}

}  // namespace

const char* mapped_name(const void* address) noexcept {
  const auto* const at = static_cast<const std::byte*>(address);
  for (const Mapping& entry : mappings) {
    const std::byte* const begin = entry.begin.load();
    if (begin != nullptr && at >= begin && at < begin + entry.size.load()) return entry.name.load();
  }
  return nullptr;
}

bool is_there(const fs::path& path) noexcept {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) noexcept {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

MappedFile map_file(const fs::path& path) {
  if (path == "-") return standard_input();
  const Opened opened = open_regular(path);
  const Descriptor descriptor(opened.descriptor);
  const std::size_t size = opened.size;
  if (size == 0) return {};
  const int flags = MAP_PRIVATE | (size <= populate_limit ? MAP_POPULATE : 0);
  void* address = ::mmap(nullptr, size, PROT_READ, flags, descriptor.get(), 0);
  if (address == MAP_FAILED) fail(path, "cannot map into memory", errno);
  MappedFile file;
  file.bytes = {static_cast<const std::byte*>(address), size};
  note_mapping(file.bytes, display_name(path));
  file.storage = std::shared_ptr<const void>(address, [size](const void* p) {
    forget_mapping(p);
    ::munmap(const_cast<void*>(p), size);
  });
  return file;
}

std::optional<std::string> read_small_file(const fs::path& path) {
  if (!is_there(path)) return {};
  const Opened opened = open_regular(path);
  const Descriptor descriptor(opened.descriptor);
  std::string text(opened.size, '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t count = ::read(descriptor.get(), text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(display_name(path), "a readable file", system_text(errno));
    if (count == 0) break;  // truncated by another process
    at += static_cast<std::size_t>(count);
  }
  text.resize(at);
  return text;
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  if (is_folder(path_)) fail(path_, "cannot write", EISDIR);
  // The temporary name is shorter than a name that the file system refuses.
  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0 && errno != ENOENT) fail(path_, "cannot write", errno);
  if (is_device(path_)) {  // such as /dev/null: renaming would replace the device itself
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(path_, "cannot write", errno);
  } else {
    if (std::error_code ignored; fs::is_symlink(path_, ignored)) path_ = written_path(path_);
    remove_partials(path_);
    std::tie(descriptor_, temporary_) = create_partial(path_);
  }
  buffer_.reserve(buffer_size);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  if (!temporary_.empty()) discard_made(directory_of(path_), temporary_);
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

void set_commit_check(std::function<void()> check) { commit_check() = std::move(check); }

void AtomicFile::commit() {
  if (descriptor_ < 0) throw std::logic_error("AtomicFile: second commit");
  flush();
  if (!temporary_.empty()) {
    if (::fsync(descriptor_) != 0) fail(path_, "cannot flush to disk", errno);
    if (commit_check()) commit_check()();
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

fs::path written_path(const fs::path& path) {
  constexpr int most_links = 40;  // as of Linux
  std::error_code ignored;
  fs::path at = fs::absolute(path);
  // One by one: weakly_canonical does not look through a link to nothing.
  for (int i = 0; i < most_links && fs::is_symlink(at, ignored); ++i)
    at = at.parent_path() / fs::read_symlink(at);
  return fs::weakly_canonical(at);
}

void require_writable(const fs::path& path) {
  if (const fs::path folder = directory_of(path); !is_there(folder))
    throw std::runtime_error(
        fmt::format("{0}: cannot write: the folder {1} does not exist (create it with mkdir -p {1})",
                    display_name(path), display_name(folder)));
  if (!is_device(path) || is_folder(path)) {
    const AtomicFile probe(path);
  } else if (::access(path.c_str(), W_OK) != 0) {
    fail(path, "cannot write", errno);
  }
}

std::size_t remove_partials(const fs::path& path) {
  const std::string prefix = partial_prefix(path);
  std::size_t removed = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_of(path), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    if (name.find_first_not_of("0123456789abcdef", prefix.size()) != std::string::npos) continue;
    if (!fs::is_regular_file(entry.symlink_status(error))) continue;
    const Descriptor descriptor(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (descriptor.get() < 0 || ::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) continue;
    discard_made(directory_of(path), entry.path()), ++removed;
  }
  return removed;
}

std::string digest_file(const fs::path& path) { return digest_bytes({map_file(path).bytes}); }

std::string digest_text(std::string_view text) { return digest_bytes({std::as_bytes(std::span(text))}); }

std::string digest_bytes(std::initializer_list<std::span<const std::byte>> parts) {
  XXH3_state_t* const state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (const auto& part : parts) XXH3_128bits_update(state, part.data(), part.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace leeway
