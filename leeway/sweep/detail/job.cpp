#include "leeway/sweep/detail/job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>

#include "leeway/core/message.h"
#include "leeway/core/removal.h"
#include "leeway/record/json.h"
#include "leeway/sweep/study.h"
#include "leeway/sweep/unit_outputs.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

// Who ends a whole job ends the runner, too, a moment later.
constexpr std::chrono::milliseconds breath{500};
constexpr int most_tries = 3, gate_failed = 4, interrupted = 130;
constexpr std::string_view log_file = "log.txt";

bool was_killed(const Ended& ended) {
  constexpr std::array<int, 4> from_outside{SIGKILL, SIGTERM, SIGINT, SIGHUP};
  return std::ranges::find(from_outside, ended.signal) != from_outside.end() || ended.code == interrupted;
}

std::string last_line(const fs::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) last = line;
  return printable(last.starts_with("leeway: ") ? last.substr(8) : last, 1000);
}

std::string words_of(const Ended& ended, const fs::path& log) {
  if (ended.signal != 0) {
    const char* const name = ::sigabbrev_np(ended.signal);
    return fmt::format("ended by signal {}", name == nullptr ? std::to_string(ended.signal) : name);
  }
  std::string line = last_line(log);
  if (!line.empty() && ended.code != 0) return line;
  return ended.code == 0 ? "ended without a record" : fmt::format("ended with exit code {}", ended.code);
}

bool says_full(const std::string& message) {
  return std::ranges::any_of(std::array{ENOSPC, EDQUOT}, [&](int code) {
    return message.find(std::system_category().message(code)) != std::string::npos;
  });
}

}  // namespace

void Jobs::add(const Process& process) {
  const std::scoped_lock lock(mutex_);
  running_.insert(&process);
  if (stopped_) process.stop(SIGTERM);
}

Ended Jobs::end_of(const Process& process) {
  process.wait();
  const std::scoped_lock lock(mutex_);
  running_.erase(&process);
  return process.reap();
}

void Jobs::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  stop_.notify_all();
  for (const Process* process : running_) process->stop(SIGTERM);
}

void Jobs::kill() {
  const std::scoped_lock lock(mutex_);
  for (const Process* process : running_) process->stop(SIGKILL);
}

bool Jobs::is_stopped(std::chrono::steady_clock::duration within) {
  std::unique_lock lock(mutex_);
  return stop_.wait_for(lock, within, [&] { return stopped_; });
}

Outcome Job::run(Jobs& jobs, const JobRules& rules) const {
  using Clock = std::chrono::steady_clock;
  Ended ended;
  double seconds = 0;
  for (int tries = 1; tries <= most_tries; ++tries) {
    store_.make_work(unit_, runner_);
    const auto started = Clock::now();
    const Process process(program_, words_, store_.work(unit_, runner_), record_file, log_file);
    jobs.add(process);
    ended = jobs.end_of(process);
    seconds = std::chrono::duration<double>(Clock::now() - started).count();
    if (!was_killed(ended)) break;
    if (jobs.is_stopped(tries < most_tries ? tries * breath : Clock::duration::zero())) {
      if (const std::string why = rules.hopeless(seconds); !why.empty()) {
        fail({why, ended.code, seconds});
        return Outcome::failed;
      }
      store_.drop_work(unit_, runner_);
      return Outcome::none;
    }
  }
  return finish(ended, seconds, rules) ? Outcome::done : Outcome::failed;
}

bool Job::finish(const Ended& ended, double seconds, const JobRules& rules) const {
  const fs::path work = store_.work(unit_, runner_), log = work / log_file;
  struct stat record {};
  struct stat said {};
  const bool has_record = ::stat((work / record_file).c_str(), &record) == 0 && record.st_size > 0;
  if (::stat(log.c_str(), &said) == 0 && said.st_size == 0) discard_made(work, log);
  rules.before_keeping();
  if (has_record && (ended.code == 0 || ended.code == gate_failed)) {
    write_digests(work);
    store_.keep(unit_, runner_, Outcome::done);
    return true;
  }
  const Failure failure{words_of(ended, log), ended.code, seconds};
  if (says_full(failure.message))
    throw DiskFull(fmt::format("{}: {}", display_name(store_.folder()), failure.message));
  fail(failure);
  return false;
}

void Job::fail(Failure failure) const {
  const std::string text =
      record::record_text(record::written([&](record::Fields& f) { fields(failure, f); }));
  write_plain(store_.work(unit_, runner_) / "failure.json", text);
  store_.keep(unit_, runner_, Outcome::failed);
}

}  // namespace leeway::sweep
