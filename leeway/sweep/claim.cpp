#include "leeway/sweep/claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/removal.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_claims = 1000;  // runners that may die over one unit

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string link_text(const fs::path& path) {
  std::array<char, 256> text{};
  const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  return size < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
}

// One boot of one machine, and those processes that can see each other.
std::string this_machine() {
  return first_line("/proc/sys/kernel/random/boot_id") + " " + link_text("/proc/self/ns/pid");
}

// When a process began, in ticks since the boot; empty where there is none. A zombie has ended.
std::string start_of(const std::string& pid) {
  const std::string line = first_line("/proc/" + pid + "/stat");
  const std::size_t name_end = line.rfind(") ");
  if (name_end == std::string::npos) return "";
  std::istringstream words(line.substr(name_end + 2));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
  constexpr std::size_t state = 0, start = 19;
  return fields.size() > start && fields[state] != "Z" && fields[state] != "X" ? fields[start] : "";
}

std::int64_t changed_at(const struct stat& status) {
  return status.st_mtim.tv_sec * std::int64_t{1000000000} + status.st_mtim.tv_nsec;
}

}  // namespace

Sign Liveness::sign(const std::string& runner) {
  const fs::path path = store_.runner(runner);
  struct stat status {};
  if (runner.empty() || ::stat(path.c_str(), &status) != 0) return Sign::gone;
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  const auto [known, fresh] = seen_.try_emplace(runner);
  Seen& seen = known->second;
  if (fresh) {
    std::ifstream file(path);
    std::getline(file, seen.machine);
    file >> seen.pid >> seen.start;
    seen.first = seen.changed = changed_at(status), seen.since = now;
  }
  if (!seen.start.empty() && seen.machine == this_machine())
    return start_of(seen.pid) == seen.start ? Sign::alive : Sign::gone;
  if (seen.changed != changed_at(status)) seen.changed = changed_at(status), seen.since = now;
  if (now - seen.since >= lease_) return Sign::gone;
  return seen.changed != seen.first ? Sign::alive : Sign::silent;
}

Runner::Runner(const Store& store, std::chrono::duration<double> lease)
    : store_(store),
      name_(fmt::format("{:08x}{:08x}", std::random_device()(), std::random_device()())),
      liveness_(store, lease) {
  write();
}

Runner::~Runner() { discard_made(store_.folder(), store_.runner(name_)); }

void Runner::write() const {
  std::error_code error;
  fs::create_directories(store_.runner(name_).parent_path(), error);
  if (error) fail_at(store_.runner(name_), "cannot create its folder", error.value());
  const std::string pid = std::to_string(::getpid());
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  write_text(store_.runner(name_),
             fmt::format("{}\n{} {}\n{}\n", this_machine(), pid, start_of(pid), host.data()));
}

void Runner::renew() const {
  if (::utimensat(AT_FDCWD, store_.runner(name_).c_str(), nullptr, 0) != 0 && errno == ENOENT) write();
}

std::string holder_of(const Store& store, const std::string& unit, std::size_t number) {
  const fs::path claim = store.claim(unit, number);
  const std::string text = link_text(claim);
  if (text.empty() && errno != EINVAL) return text;
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse(display_name(claim), "a claim: a link to 16 hexadecimal digits, the name of a runner",
           text.empty() ? "no link" : in_quotes(text));
  return text;
}

std::size_t Runner::claim(const std::string& unit) {
  for (std::size_t number = 1; number <= most_claims;) {
    const fs::path path = store_.claim(unit, number);
    if (::symlink(name_.c_str(), path.c_str()) == 0) return number;
    const int code = errno;
    if (code == ENOENT) {
      std::error_code error;
      fs::create_directories(path.parent_path(), error);
      if (error) fail_at(path, "cannot create its folder", error.value());
      continue;
    }
    if (code != EEXIST) fail_at(path, "cannot claim the unit", code);
    const std::string holder = holder_of(store_, unit, number);
    if (holder == name_) return number;  // a file system that asks twice
    if (holder.empty()) continue;        // released in between
    if (liveness_.sign(holder) != Sign::gone) return 0;
    store_.drop_work(unit, holder);
    ++number;
  }
  refuse(display_name(store_.claim(unit, 1)),
         fmt::format("at most {} claims by runners that no longer exist", most_claims), "more");
}

Sign Runner::holder_sign(const std::string& unit) {
  for (std::size_t number = 1; number <= most_claims; ++number) {
    const std::string holder = holder_of(store_, unit, number);
    if (holder.empty()) return Sign::gone;
    if (const Sign sign = liveness_.sign(holder); sign != Sign::gone) return sign;
  }
  return Sign::gone;
}

void Runner::release(const std::string& unit, std::size_t number, bool ended) const {
  // Of a unit that has not ended the claims below stay: without them a third runner could make one there while a
  // fourth, who passed them before, makes this one again.
  for (; number > 0; --number) {
    discard_made(store_.folder(), store_.claim(unit, number));
    if (!ended) return;
  }
}

}  // namespace leeway::sweep
