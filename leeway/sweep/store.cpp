#include "leeway/sweep/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <system_error>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/removal.h"
#include "leeway/record/json.h"
#include "leeway/sweep/script.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) { return ::access(path.c_str(), F_OK) == 0; }

std::vector<std::string> names_in(const fs::path& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (!folder) return names;
  while (const dirent* const entry = ::readdir(folder.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

// Of all shards.
std::vector<std::string> names_below(const fs::path& path) {
  std::vector<std::string> all;
  for (const std::string& shard : names_in(path))
    for (std::string& name : names_in(path / shard)) all.push_back(std::move(name));
  return all;
}

constexpr std::array<std::string_view, 2> own_files = {"plan.jsonl", "study.toml"};
constexpr std::array<std::string_view, 6> own_folders = {"units",  "failed",  "work",
                                                         "claims", "runners", "slurm"};

void expect_own(const fs::directory_entry& entry) {
  std::error_code none;
  if (entry.is_symlink(none) || entry.is_other(none))
    refuse(display_name(entry.path()), "a regular file or folder in the folder of the sweep",
           entry.is_symlink(none) ? "a symbolic link" : "a pipe or device");
}

const char* folder_of(Outcome outcome) { return outcome == Outcome::done ? "units" : "failed"; }

int renamed(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// `attempt` gives 0 or an errno; the folder above is made where it is missing.
template <class Attempt>
int with_folder(const fs::path& path, const Attempt& attempt) {
  int code = attempt();
  if (code != ENOENT) return code;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  return error ? error.value() : attempt();
}

}  // namespace

void fields(Failure& failure, record::Fields& f) {
  f("message", failure.message, "the last line on stderr, or how it ended");
  f("code", failure.code, "exit code, or 128 and the signal");
  f("seconds", failure.seconds, record::at_least(0), "that it took");
}

std::string shard_of(const std::string& unit) { return unit.substr(0, 2); }

std::string seen_from_unit(const std::string& unit, std::string_view file) {
  return fmt::format("../../../units/{}/{}/{}", shard_of(unit), unit, file);
}

void fail_at(const fs::path& path, std::string_view what, int code) {
  const std::string message =
      fmt::format("{}: {}: {}", display_name(path), what, std::system_category().message(code));
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) throw DiskFull(message);
  throw std::runtime_error(message);
}

bool is_of_sweep(const fs::path& folder, const fs::path& path) {
  std::error_code none;
  const std::string first = path.lexically_relative(folder).begin()->string();
  const auto has = [&](const auto& names) { return std::ranges::find(names, first) != names.end(); };
  return (has(own_files) || has(own_folders)) && fs::exists(folder / own_files.front(), none);
}

void write_plain(const fs::path& path, std::string_view text) {
  std::ofstream file(path);
  errno = 0;
  if (!(file << text << std::flush)) fail_at(path, "cannot write", errno == 0 ? EIO : errno);
}

Store::Store(fs::path folder) : folder_(std::move(folder)) {
  std::error_code none;
  for (const std::string_view name : own_files) expect_own(fs::directory_entry(folder_ / name, none));
  expect_own(fs::directory_entry(folder_ / collected_table, none));
  for (const std::string_view name : own_folders) {
    const fs::directory_entry own(folder_ / name, none);
    expect_own(own);
    for (fs::directory_iterator at(own, none), end; !none && at != end; at.increment(none)) expect_own(*at);
  }
}

fs::path Store::done(const std::string& unit) const {
  return folder_ / folder_of(Outcome::done) / shard_of(unit) / unit;
}
fs::path Store::failed(const std::string& unit) const {
  return folder_ / folder_of(Outcome::failed) / shard_of(unit) / unit;
}
fs::path Store::work(const std::string& unit, const std::string& runner) const {
  return folder_ / "work" / shard_of(unit) / (unit + "." + runner);
}
fs::path Store::claim(const std::string& unit, std::size_t number) const {
  return folder_ / "claims" / shard_of(unit) / fmt::format("{}.{}", unit, number);
}
fs::path Store::runner(const std::string& runner) const { return folder_ / "runners" / runner; }

Outcome Store::outcome(const std::string& unit) const {
  if (is_there(done(unit))) return Outcome::done;
  return is_there(failed(unit)) ? Outcome::failed : Outcome::none;
}

std::unordered_set<std::string> Store::listed(Outcome outcome) const {
  const std::vector<std::string> names = names_below(folder_ / folder_of(outcome));
  return {names.begin(), names.end()};
}

std::vector<std::string> Store::listed(Outcome outcome, const std::string& shard) const {
  return names_in(folder_ / folder_of(outcome) / shard);
}

std::vector<std::string> Store::claimed() const { return names_below(folder_ / "claims"); }

std::vector<std::string> Store::claimed(const std::string& shard) const {
  return names_in(folder_ / "claims" / shard);
}

void Store::make_work(const std::string& unit, const std::string& runner) const {
  const fs::path path = work(unit, runner);
  const auto make = [&] { return ::mkdir(path.c_str(), 0777) == 0 ? 0 : errno; };
  int code = with_folder(path, make);
  if (code == EEXIST) {
    drop_work(unit, runner);
    code = make();
  }
  if (code != 0) fail_at(path, "cannot make the folder", code);
}

void Store::keep(const std::string& unit, const std::string& runner, Outcome outcome) const {
  const fs::path from = work(unit, runner), to = outcome == Outcome::done ? done(unit) : failed(unit);
  const int code = with_folder(to, [&] { return renamed(from, to); });
  if (code == ENOTEMPTY || code == EEXIST)
    drop_work(unit, runner);  // somebody else was first
  else if (code != 0)
    fail_at(to, "cannot rename the finished unit", code);
}

void Store::drop_work(const std::string& unit, const std::string& runner) const {
  discard_made(folder_, work(unit, runner));
}

void Store::forget_failure(const std::string& unit) const {
  const fs::path aside = work(unit, "retry");
  drop_work(unit, "retry");
  const int code = with_folder(aside, [&] { return renamed(failed(unit), aside); });
  if (code != 0 && code != ENOENT) fail_at(failed(unit), "cannot rename", code);
  drop_work(unit, "retry");
}

Failure Store::failure(const std::string& unit) const {
  const fs::path path = failed(unit) / "failure.json";
  Failure failure;
  const Json json = Json::parse(map_file(path).text(), nullptr, false);
  if (!json.is_object()) refuse(display_name(path), "what a unit that failed leaves", "something else");
  record::read([&](record::Fields& f) { fields(failure, f); }, json, display_name(path));
  return failure;
}

}  // namespace leeway::sweep
