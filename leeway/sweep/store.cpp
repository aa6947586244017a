#include "leeway/sweep/store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/removal.h"
#include "leeway/describe/json.h"
#include "leeway/sweep/run.h"
#include "leeway/sweep/script.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator at(path, none), end; !none && at != end; at.increment(none))
    if (std::string name = at->path().filename().string(); !name.starts_with('.'))
      names.push_back(std::move(name));
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

// Units with a claim of a runner that lives, or may live.
std::unordered_set<std::string> running_units(const Store& store) {
  std::unordered_set<std::string> running;
  Liveness liveness(store, default_lease);
  for (const std::string& claim : store.claimed()) {
    const std::size_t dot = claim.find('.');
    const std::string unit = claim.substr(0, dot);
    const auto number = static_cast<std::size_t>(
        std::strtoull(claim.c_str() + std::min(dot, claim.size() - 1) + 1, nullptr, 10));
    if (liveness.sign(holder_of(store, unit, number)) != Sign::gone) running.insert(unit);
  }
  return running;
}

// Without numbers and without the names of units.
std::string common_part(const std::string& message) {
  constexpr std::string_view hexadecimal = "0123456789abcdef", folder = "units/";
  std::string text;
  for (std::size_t at = 0; at < message.size(); ++at) {
    std::size_t end = std::min(message.find_first_not_of(hexadecimal, at), message.size());
    if (text.ends_with(folder) && end == at + 2 && message.compare(end, 1, "/") == 0)
      end = std::min(message.find_first_not_of(hexadecimal, end + 1), message.size());
    else if (end < at + 32)
      end = std::min(message.find_first_not_of("0123456789", at), message.size());
    if (end == at) {
      text += message[at];
      continue;
    }
    if (!text.ends_with('#')) text += '#';
    at = end - 1;
  }
  return text;
}

}  // namespace

void fields(Failure& failure, Fields& f) {
  f("message", failure.message, "last line on stderr, or how the process ended");
  f("code", failure.code, "exit code, or 128 plus the signal number");
  f("seconds", failure.seconds, at_least(0), "duration of the unit");
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
  const std::string first = path.lexically_relative(folder).begin()->string();
  const auto has = [&](const auto& names) { return std::ranges::find(names, first) != names.end(); };
  return (has(own_files) || has(own_folders)) && is_there(folder / own_files.front());
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
  if (code != 0) fail_at(path, "cannot create the folder", code);
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
  if (!json.is_object()) refuse(display_name(path), "a record of a failed unit", "something else");
  read([&](Fields& f) { fields(failure, f); }, json, display_name(path));
  return failure;
}

std::vector<tasks::SweepFailure> failures_of(const Plan& plan, const Store& store) {
  const auto names = store.listed(Outcome::failed), done = store.listed(Outcome::done);
  std::map<std::string, tasks::SweepFailure> groups;
  for (const Unit& unit : plan.units) {
    if (!names.contains(unit.name) || done.contains(unit.name)) continue;
    const std::string message = store.failure(unit.name).message;
    std::vector<std::string> axes;
    for (const auto& [axis, value] : unit.axes)
      if (!value.empty()) axes.push_back(fmt::format("{}={}", axis, value));
    const auto [at, fresh] = groups.try_emplace(common_part(message));
    tasks::SweepFailure& group = at->second;
    if (fresh) group = {message, display_name(store.failed(unit.name) / "log.txt"), 0, axes};
    ++group.units;
    std::erase_if(group.axes, [&](const auto& axis) { return std::ranges::find(axes, axis) == axes.end(); });
  }
  std::vector<tasks::SweepFailure> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  std::ranges::stable_sort(all, std::ranges::greater(), &tasks::SweepFailure::units);
  return all;
}

tasks::SweepStatus status_of(const Plan& plan, const Store& store) {
  const auto done = store.listed(Outcome::done), failed = store.listed(Outcome::failed),
             running = running_units(store);
  tasks::SweepStatus status;
  status.folder = display_name(store.folder());
  for (const PlannedStage& stage : plan.stages) status.results.push_back({stage.name, stage.command, {}});
  using Counts = tasks::SweepCounts;
  std::unordered_map<std::string, std::size_t Counts::*> states;
  for (const Unit& unit : plan.units) {
    const auto needs_one = [&](const auto& holds) {
      return std::ranges::any_of(unit.needs, [&](const auto& other) { return holds(states.at(other)); });
    };
    const auto hopeless = [](auto state) { return state == &Counts::failed || state == &Counts::blocked; };
    const auto open = [](auto state) { return state != &Counts::done; };
    const auto state = done.contains(unit.name)      ? &Counts::done
                       : failed.contains(unit.name)  ? &Counts::failed
                       : needs_one(hopeless)         ? &Counts::blocked
                       : running.contains(unit.name) ? &Counts::running
                       : needs_one(open)             ? &Counts::waiting
                                                     : &Counts::ready;
    states.emplace(unit.name, state);
    auto& stage = *std::ranges::find(status.results, unit.stage, &tasks::SweepStageStatus::stage);
    for (Counts* const counts : {&stage.counts, &status.counts}) ++counts->units, ++(counts->*state);
  }
  if (status.counts.failed > 0) status.failures = failures_of(plan, store);
  return status;
}

tasks::SweepPlan plan_record(const Plan& plan, const Store& store) {
  tasks::SweepPlan record;
  record.folder = display_name(store.folder());
  for (const PlannedAxis& axis : plan.axes) record.axes.push_back(axis.name);
  record.units = plan.units.size(), record.combinations = plan.combinations, record.left_out = plan.left_out;
  record.threads = plan.threads, record.jobs = jobs_that_fit(plan.threads, plan.memory);
  for (const PlannedStage& stage : plan.stages) record.results.push_back({stage.name, stage.command, 0, 0});
  const auto done = store.listed(Outcome::done);
  for (const Unit& unit : plan.units) {
    auto& stage = *std::ranges::find(record.results, unit.stage, &tasks::SweepPlanStage::stage);
    const bool kept = done.contains(unit.name);
    ++stage.units, stage.kept += kept, record.kept += kept;
  }
  record.others = done.size() - record.kept;
  return record;
}

}  // namespace leeway::sweep
